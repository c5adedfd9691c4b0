#!/usr/bin/env bash
# ci/synth.sh: synthesizes the program of this checkout, and packs the result into synth.tar for ci/plan.sh.
#
# It runs main.ts, which a change under review may have written. So its job has no credentials.
set -euo pipefail
export CHECKPOINT_DISABLE=1
export PATH="$PWD/node_modules/.bin:$PATH"

cdktf synth
# An artifact may leave out hidden files, and the lock file of Engine.PROVIDER is one. The review takes the version of
# cdktf-cluster-platform from package-lock.json.
tar -cf synth.tar cdktf.out package-lock.json

#!/usr/bin/env bash
# ci/review-synth.sh BASE HEAD [OPTION…]: says what would change if the program that was packed into HEAD took the place
# of the one in BASE. It needs no state, no token and no Terraform, so it reviews what a stranger has written.
#
# BASE and HEAD are files of ci/synth.sh. The options and exit codes are those of `cluster-platform review`. The policy is
# that of this checkout.
set -euo pipefail
export PATH="$PWD/node_modules/.bin:$PATH"
folder=$(mktemp -d)
package_folder=$(mktemp -d "$PWD/.package-XXXXXX") # Here, so that it finds its dependencies.
trap 'rm -rf "$folder" "$package_folder"' EXIT
package=$(node ci/package.mjs "$2" "$package_folder")

mkdir "$folder/base" "$folder/head"
tar -C "$folder/base" -xf "$1" cdktf.out
tar -C "$folder/head" -xf "$2" cdktf.out
cluster-platform review --synth "$folder/base/cdktf.out" "$folder/head/cdktf.out" \
  --policy ci/review-policy.json ${package:+--package "$package"} "${@:3}"

#!/usr/bin/env bash
# ci/drift.sh [OPTION…]: compares what the states of all stacks declare with what the service has; changes nothing.
#
# It needs to read the states and a token that may list providers and clusters. The options are those of
# `cluster-platform drift`.
#
# Exits with 0 when there is no drift, 2 when there is, 1 on an error: a service that does not answer is no drift.
set -euo pipefail
umask 077
export TF_IN_AUTOMATION=1 TF_INPUT=0 CHECKPOINT_DISABLE=1
export PATH="$PWD/node_modules/.bin:$PATH"
terraform=${TERRAFORM_BINARY_NAME:-terraform}
# Terraform runs in the folder of the stack: with -chdir it does not find the provider of Engine.PROVIDER.
in_stack() (cd "cdktf.out/stacks/$1" && shift && exec "$terraform" "$@")

# A state as JSON shows sensitive values in clear: it lives as long as this script.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Synthesized only for the backends' addresses.
cdktf synth
order=$(node ci/stacks.mjs)
mapfile -t stacks <<<"$order"
states=()
for stack in "${stacks[@]}"; do
  in_stack "$stack" init
  in_stack "$stack" show -json >"$folder/$stack.json"
  states+=("$folder/$stack.json")
done

# Of all states together: what one stack declares is not unmanaged to another.
cluster-platform drift "${states[@]}" "$@"

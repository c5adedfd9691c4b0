#!/usr/bin/env bash
# ci/drift.sh [OPTION…]: compares the states of all stacks of synth.tar with the objects on the service. It changes nothing.
#
# It needs access to read the states, and a token that may list providers and clusters. The options are those of
# `cluster-platform drift`.
#
# It exits with 0 without drift, with 2 on drift, and with 1 on an error. A service that does not answer is an error.
set -euo pipefail
umask 077
export TF_IN_AUTOMATION=1 TF_INPUT=0 CHECKPOINT_DISABLE=1
export PATH="$PWD/node_modules/.bin:$PATH"
terraform=${TERRAFORM_BINARY_NAME:-terraform}
# Terraform runs in the folder of the stack: with -chdir it does not find the provider of Engine.PROVIDER.
in_stack() (cd "cdktf.out/stacks/$1" && shift && exec "$terraform" "$@")

# It has the backends' addresses, and the clusters that a stack does not wait for.
rm -rf cdktf.out
# The JSON of a state has sensitive values in clear, so it is deleted when this script ends.
trap 'rm -f cdktf.out/stacks/*/state.json' EXIT
tar -xf synth.tar cdktf.out
order=$(node ci/stacks.mjs)
mapfile -t stacks <<<"$order"
states=()
for stack in "${stacks[@]}"; do
  in_stack "$stack" init
  states+=("cdktf.out/stacks/$stack/state.json")
  in_stack "$stack" show -json >"${states[-1]}"
done

# Compares all states together. Otherwise the objects of one stack would be unmanaged for another.
cluster-platform drift "${states[@]}" "$@"

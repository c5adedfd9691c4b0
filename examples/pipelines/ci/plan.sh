#!/usr/bin/env bash
# ci/plan.sh [STACK…]: plans all stacks of synth.tar, or the named ones, into cdktf.out/stacks/STACK/plan.
#
# It runs no hook and locks no state, so it only needs to read the state. If a plan is out of date when it is applied,
# Terraform refuses it.
#
# It stops at a plan that fails, for example because Engine.PROVIDER refuses it. plan-output.txt then has what Terraform said,
# and `cluster-platform review plan-output.txt` shows it in place of a review.
set -euo pipefail
umask 077 # A plan holds what the state holds.
export TF_IN_AUTOMATION=1 TF_INPUT=0 CHECKPOINT_DISABLE=1
export PATH="$PWD/node_modules/.bin:$PATH"
terraform=${TERRAFORM_BINARY_NAME:-terraform}
# Terraform runs in the folder of the stack: with -chdir it does not find the provider of Engine.PROVIDER.
in_stack() (cd "cdktf.out/stacks/$1" && shift && exec "$terraform" "$@")
# Only a plan of this run may be reviewed.
plan() {
  rm -f "cdktf.out/stacks/$1/plan"
  in_stack "$1" plan -no-color -lock=false -detailed-exitcode -out=plan 2>&1 | tee plan-output.txt
}

nothing_planned() { echo "Error: nothing was planned, and the log of this run says why" >plan-output.txt; }

nothing_planned
if [ ! -f synth.tar ]; then
  echo "there is no synth.tar: ci/synth.sh has failed, or did not run" >&2
  exit 1
fi
rm -rf cdktf.out
tar -xf synth.tar cdktf.out # Nothing else, because a change under review may have written it.
order=$(node ci/stacks.mjs "$@")
mapfile -t stacks <<<"$order"

change=false
for stack in "${stacks[@]}"; do
  printf '\n── plan %s\n' "$stack"
  nothing_planned
  in_stack "$stack" init
  code=0
  plan "$stack" || code=$?
  case $code in
  0) ;;
  2) change=true ;;
  *) exit 1 ;;
  esac
done

printf '%s\n' "${stacks[@]}" >cdktf.out/stacks/order
printf 'PLANS_CHANGE=%s\n' "$change" >plans.env

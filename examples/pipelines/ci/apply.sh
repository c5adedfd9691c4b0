#!/usr/bin/env bash
# ci/apply.sh SHA256: applies exactly the plans that ci/pack.sh packed into plans.tar.cms, on this machine or another one.
#
# It needs Terraform, node and the cluster-platform command, the credentials of the state's backend, CLUSTER_PLATFORM_URL
# and a token, all secrets of the stacks, and PLAN_PRIVATE_KEY in PEM.
#
# It passes signals on, so that Terraform saves its state before it ends. apply/STACK/.cluster-platform then has notes of
# the creates that were running. Keep the folder and restore it before the next apply, which then continues them.
set -euo pipefail
umask 077
export TF_IN_AUTOMATION=1 TF_INPUT=0 CHECKPOINT_DISABLE=1
export PATH="$PWD/node_modules/.bin:$PATH"
terraform=${TERRAFORM_BINARY_NAME:-terraform}
# Terraform runs in the folder of the stack: with -chdir it does not find the provider of Engine.PROVIDER.
in_stack() (cd "apply/$1" && shift && exec "$terraform" "$@")
sha256=$1

if ! sha256sum --check --strict --status <<<"$sha256  plans.tar.cms"; then
  echo "plans.tar.cms is not what was reviewed: its SHA-256 is not $sha256" >&2
  exit 1
fi

mkdir -p apply
openssl cms -decrypt -binary -inform DER -in plans.tar.cms -inkey <(printf '%s\n' "${PLAN_PRIVATE_KEY:?}") | tar -C apply -xf -
unset PLAN_PRIVATE_KEY # Hooks inherit the environment.
mapfile -t stacks <apply/order

# Checks every stack before the first one changes.
for stack in "${stacks[@]}"; do
  printf '\n── check %s\n' "$stack"
  in_stack "$stack" init
  cluster-platform doctor --stack "apply/$stack"
done

# Runners signal this script or its whole process group. Terraform has a group of its own and gets one signal, because a
# second signal would end it before it saves the state.
set -m
child='' stopped=''
stop() {
  [ -n "$stopped" ] || [ -z "$child" ] || kill -INT "$child" || true
  stopped=yes
}
trap stop INT TERM

for stack in "${stacks[@]}"; do
  printf '\n── apply %s\n' "$stack"
  (cd "apply/$stack" && exec "$terraform" apply -lock-timeout=10m plan) & # One process, which signals reach.
  child=$!
  code=0
  wait "$child" || code=$?
  while kill -0 "$child" 2>/dev/null; do # A signal ended the waiting, not Terraform.
    code=0
    wait "$child" || code=$?
  done
  child=''
  if [ -f "apply/$stack/errored.tfstate" ]; then
    echo "The backend did not take the state; trying once more" >&2
    in_stack "$stack" state push errored.tfstate && rm "apply/$stack/errored.tfstate"
  fi
  [ "$code" -eq 0 ] || exit "$code"
  [ -z "$stopped" ] || exit 130
done

#!/usr/bin/env bash
# ci/apply.sh FILE SHA256: applies exactly the plans that ci/plan.sh packed, on this machine or another.
#
# It needs Terraform, node and the cluster-platform command, the credentials of the state's backend, CLUSTER_PLATFORM_URL
# and a token, and every secret that the stacks refer to; PLAN_PRIVATE_KEY, in PEM, where the plans are encrypted.
#
# A signal is passed on, so that Terraform saves its state before it ends. apply/STACK/.cluster-platform then says what
# was being created: kept, and put back before the next apply, it lets that one go on where this one stopped.
set -euo pipefail
umask 077
export TF_IN_AUTOMATION=1 TF_INPUT=0 CHECKPOINT_DISABLE=1
export PATH="$PWD/node_modules/.bin:$PATH"
terraform=${TERRAFORM_BINARY_NAME:-terraform}
# Terraform runs in the folder of the stack: with -chdir it does not find the provider of Engine.PROVIDER.
in_stack() (cd "apply/$1" && shift && exec "$terraform" "$@")
file=$1 sha256=$2

if ! sha256sum --check --strict --status <<<"$sha256  $file"; then
  echo "$file is not what was reviewed: its SHA-256 is not $sha256" >&2
  exit 1
fi

mkdir -p apply
if [[ $file == *.cms ]]; then
  openssl cms -decrypt -binary -inform DER -in "$file" -inkey <(printf '%s\n' "${PLAN_PRIVATE_KEY:?}") | tar -C apply -xf -
  unset PLAN_PRIVATE_KEY # Hooks inherit the environment.
else
  tar -C apply -xf "$file"
fi
mapfile -t stacks <apply/order

# All that can be found out beforehand is, for every stack, before the first of them changes.
for stack in "${stacks[@]}"; do
  printf '\n── check %s\n' "$stack"
  in_stack "$stack" init
  cluster-platform doctor --stack "apply/$stack"
done

# Runners signal this script or its whole process group. Terraform is in a group of its own and is told once, since a
# second signal would make it end without saving.
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

#!/usr/bin/env bash
# ci/plan.sh [STACK…]: synthesizes, plans every stack or those named, and packs what an apply will need.
#
# It runs no hook and locks no state: all it needs is to read the state. A plan that is out of date when it is applied
# is refused by Terraform.
#
# It leaves:
#   cdktf.out/stacks/STACK/plan   the plans, for ci/review.sh
#   plans.tar                     plans, configuration and hooks, for ci/apply.sh; or plans.tar.cms, which only the
#                                 holder of the private key can read, if there is a ci/plan-certificate.pem
#   plans.env                     PLANS_FILE, PLANS_SHA256, and PLANS_CHANGE: whether there is anything to apply
set -euo pipefail
umask 077 # A plan holds what the state holds.
export TF_IN_AUTOMATION=1 TF_INPUT=0 CHECKPOINT_DISABLE=1
export PATH="$PWD/node_modules/.bin:$PATH"
terraform=${TERRAFORM_BINARY_NAME:-terraform}
# Terraform runs in the folder of the stack: with -chdir it does not find the provider of Engine.PROVIDER.
in_stack() (cd "cdktf.out/stacks/$1" && shift && exec "$terraform" "$@")

cdktf synth
order=$(node ci/stacks.mjs "$@")
mapfile -t stacks <<<"$order"

change=false
for stack in "${stacks[@]}"; do
  printf '\n── plan %s\n' "$stack"
  in_stack "$stack" init
  code=0
  in_stack "$stack" plan -lock=false -detailed-exitcode -out=plan || code=$?
  case $code in
  0) ;;
  2) change=true ;;
  *) exit "$code" ;;
  esac
done

printf '%s\n' "${stacks[@]}" >cdktf.out/stacks/order
tar -C cdktf.out/stacks --exclude=.terraform --exclude=.cluster-platform -cf plans.tar order "${stacks[@]}"
file=plans.tar
if [ -f ci/plan-certificate.pem ]; then
  file=plans.tar.cms
  openssl cms -encrypt -binary -aes-256-gcm -outform DER -in plans.tar -out "$file" ci/plan-certificate.pem
  rm plans.tar
fi

sha256=$(sha256sum "$file" | cut -d ' ' -f 1)
printf 'PLANS_FILE=%s\nPLANS_SHA256=%s\nPLANS_CHANGE=%s\n' "$file" "$sha256" "$change" | tee plans.env

#!/usr/bin/env bash
# ci/pack.sh: packs everything that ci/apply.sh needs into plans.tar.cms, for the holder of the key of
# ci/plan-certificate.pem. It adds PLANS_SHA256 to plans.env.
set -euo pipefail
umask 077

if [ ! -f ci/plan-certificate.pem ]; then
  echo "there is no ci/plan-certificate.pem: a plan shows secrets, so it leaves this machine only encrypted. docs/pipelines.md has the command that makes the certificate" >&2
  exit 1
fi
mapfile -t stacks <cdktf.out/stacks/order
tar -C cdktf.out/stacks --exclude=.terraform --exclude=.cluster-platform -cf plans.tar order "${stacks[@]}"
openssl cms -encrypt -binary -aes-256-gcm -outform DER -in plans.tar -out plans.tar.cms ci/plan-certificate.pem
rm plans.tar
printf 'PLANS_SHA256=%s\n' "$(sha256sum plans.tar.cms | cut -d ' ' -f 1)" | tee -a plans.env

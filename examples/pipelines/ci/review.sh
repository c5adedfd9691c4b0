#!/usr/bin/env bash
# ci/review.sh [OPTION…]: says what the plans of ci/plan.sh do to each provider and cluster, and whether that is allowed.
#
# The options are those of `cluster-platform review`. The policy is ci/review-policy.json from the commit POLICY_REF, so
# that no change approves itself. The job of a pull request checks out the target branch and reads it there (HEAD, the
# default). A push to the main branch names the commit before it. Empty or zeros mean the first parent.
#
# It exits with 0 if nothing is denied, with 2 if something is denied, and with 1 on an error.
set -euo pipefail
umask 077
export PATH="$PWD/node_modules/.bin:$PATH"
policy_file=ci/review-policy.json

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mapfile -t stacks <cdktf.out/stacks/order
folders=("${stacks[@]/#/cdktf.out/stacks/}")

policy_ref=${POLICY_REF-HEAD}
if [[ $policy_ref =~ ^0*$ ]]; then
  # The raw commit names its parent even if the clone does not have the parent.
  policy_ref=$(git cat-file commit HEAD | sed -n '/^$/q; s/^parent //p' | sed -n 1p)
fi
policy=()
if [ -z "$policy_ref" ]; then
  echo "this is the first commit, and no policy stood before it" >&2
elif ! commit=$(git rev-parse --quiet --verify "$policy_ref^{commit}"); then
  echo "the policy is to be read from $policy_ref, which this clone does not have: fetch it" >&2
  exit 1
elif git cat-file -e "$commit:$policy_file" 2>/dev/null; then
  git show "$commit:$policy_file" >"$folder/policy.json"
  policy=(--policy "$folder/policy.json" --policy-commit "$commit")
else
  echo "no $policy_file in $commit: nothing is allowed beyond the default" >&2
fi

cluster-platform review "${folders[@]/%//plan}" "${policy[@]}" "$@"

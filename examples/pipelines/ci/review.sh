#!/usr/bin/env bash
# ci/review.sh [OPTION…]: says what the plans of ci/plan.sh do to each provider and cluster, and whether that is allowed.
#
# The options are those of `cluster-platform review`. The policy is ci/review-policy.json from the commit POLICY_REF, so
# that no change approves itself. The job of a pull request checks out the target branch and reads it there (HEAD, the
# default). A push to the main branch names the commit before it. Empty or zeros mean the first parent.
#
# A stack that left main.ts has no plan. So it synthesizes the program of POLICY_REF too, which needs npm and no secret, and
# shows the stacks that only that program has.
#
# A change may upgrade cdktf-cluster-platform. ci/package.mjs then takes the version of its lock file from the registry,
# and the review compares the program of the change with that version.
#
# It exits with 0 if nothing is denied, with 2 if something is denied, and with 1 on an error.
set -euo pipefail
umask 077
export PATH="$PWD/node_modules/.bin:$PATH"
policy_file=ci/review-policy.json

folder=$(mktemp -d)
package_folder=$(mktemp -d "$PWD/.package-XXXXXX") # Here, so that it finds its dependencies.
trap 'rm -rf "$folder" "$package_folder"' EXIT
package=$(node ci/package.mjs synth.tar "$package_folder")

mapfile -t stacks <cdktf.out/stacks/order
folders=("${stacks[@]/#/cdktf.out/stacks/}")

policy_ref=${POLICY_REF-HEAD}
if [[ $policy_ref =~ ^0*$ ]]; then
  # The raw commit names its parent even if the clone does not have the parent.
  policy_ref=$(git cat-file commit HEAD | sed -n '/^$/q; s/^parent //p' | sed -n 1p)
fi
policy=() left=()
if [ -z "$policy_ref" ]; then
  echo "this is the first commit, and no policy stood before it" >&2
elif ! commit=$(git rev-parse --quiet --verify "$policy_ref^{commit}"); then
  echo "the policy is to be read from $policy_ref, which this clone does not have: fetch it" >&2
  exit 1
else
  mkdir "$folder/before"
  git archive "$commit" | tar -C "$folder/before" -xf -
  if [ -f "$folder/before/$policy_file" ]; then
    policy=(--policy "$folder/before/$policy_file" --policy-commit "$commit")
  else
    echo "no $policy_file in $commit: nothing is allowed beyond the default" >&2
  fi
  if [ -f "$folder/before/ci/synth.sh" ]; then
    if ! (cd "$folder/before" && npm ci --ignore-scripts && bash ci/synth.sh) >&2; then
      echo "$commit cannot be synthesized, so nobody knows which stacks left it: name another commit in POLICY_REF" >&2
      exit 1
    fi
    (cd "$folder/before" && node ci/stacks.mjs) | sort >"$folder/stacks-before"
    node ci/stacks.mjs | sort >"$folder/stacks"
    mapfile -t left < <(comm -23 "$folder/stacks-before" "$folder/stacks")
    left=("${left[@]/#/--left=$folder/before/cdktf.out/stacks/}")
  fi
fi

cluster-platform review "${folders[@]/%//plan}" "${left[@]}" "${policy[@]}" ${package:+--package "$package"} "$@"

#!/bin/sh
# Terraform starts this file, and reads from its standard output one line: where the plugin listens. What else is printed
# there, by a module that NODE_OPTIONS preloads for example, would break the start. So the line goes through descriptor 3,
# and standard output goes where standard error goes: to Terraform's log.
exec 3>&1 1>&2
if ! command -v node >/dev/null 2>&1; then
  echo "The provider needs Node.js, and there is no 'node' on the PATH ($PATH). Install Node.js, or extend the PATH." >&3
  exit 127
fi
exec node "${0%/*}/main.cjs" 3

#!/bin/sh
# Terraform starts this file and reads one line from its standard output: where the plugin listens. Any other output there
# breaks the start, for example from a module that NODE_OPTIONS preloads. So the line goes through descriptor 3, and standard
# output goes to standard error, which Terraform writes to its log.
exec 3>&1 1>&2
if ! command -v node >/dev/null 2>&1; then
  echo "The provider needs Node.js, and there is no 'node' on the PATH ($PATH). Install Node.js, or extend the PATH." >&3
  exit 127
fi
# With NODE_DEBUG=child_process, Node would print the environment when the token command starts.
unset NODE_DEBUG
exec node "${0%/*}/main.cjs" 3

import { join, resolve, sep } from "node:path";

// This file imports no CDK, so all entry points share it.

/** With a separator at the end. */
export const OWN_CODE = resolve(__dirname, "../..") + sep;
/** The same from the sources and from the published package. */
export const PACKAGE = resolve(OWN_CODE, "..");
export const HOOK_BUNDLE = join(PACKAGE, "dist/hooks");
export const PLUGIN_ZIP = join(PACKAGE, "dist/plugin.zip");

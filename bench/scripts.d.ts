declare module "*/terraform-binary.mjs" {
  export function terraformBinary(): string;
}
declare module "*/go.mjs" {
  export function hasGo(): boolean;
  export function go(args: readonly string[], options: { readonly cwd: string }): Promise<string>;
}
declare module "*/tool-cache.mjs" {
  export function cached(name: string, make: (draft: string, folder: string) => Promise<void>): Promise<string>;
}

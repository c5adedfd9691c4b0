declare module "*/terraform-binary.mjs" {
  export function terraformBinary(): string;
}
declare module "*/go.mjs" {
  export function hasGo(): boolean;
  export function goProgram(name: string, sources: string, command: readonly string[]): Promise<string>;
}

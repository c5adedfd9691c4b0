declare module "*/terraform-binary.mjs" {
  export function terraformBinary(): string;
}

// Declares the files that the Worker's bundle holds as texts (wrangler.toml, "rules").
declare module "*.md" {
  const text: string;
  export default text;
}
declare module "*.css" {
  const text: string;
  export default text;
}

// Declares the text files in the Worker's bundle (wrangler.toml, "rules").
declare module "*.md" {
  const text: string;
  export default text;
}
declare module "*.css" {
  const text: string;
  export default text;
}

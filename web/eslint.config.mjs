import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["node_modules/", "build.mjs", "eslint.config.mjs"] },
  ...tseslint.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } } },
  { rules: { "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }] } },
  // Lit calls the handlers in a template with the element as `this`.
  { rules: { "@typescript-eslint/unbound-method": "off" } },
  // Node's runner waits for its tests itself.
  { files: ["test/**"], rules: { "@typescript-eslint/no-floating-promises": "off" } },
);

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { writeDigest } from "./digest.ts";

const root = import.meta.dirname;
const bundle = resolve(root, "../src/recombine/explorer/bundle");
const bundled = ["react", "react-dom", "scheduler"]; // their licence asks to be kept with copies

function lastWords(): Plugin {
  return {
    name: "licences-and-digest",
    apply: "build",
    closeBundle() {
      const licences = bundled.map((name) => {
        const text = readFileSync(resolve(root, "node_modules", name, "LICENSE"), "utf8");
        return `${name}\n\n${text.trim()}\n`;
      });
      writeFileSync(resolve(bundle, "licences.txt"), licences.join("\n"));
      writeDigest(root, bundle);
    },
  };
}

export default defineConfig({
  root,
  base: "./",
  plugins: [react(), lastWords()],
  server: { host: "127.0.0.1", port: 5173 },
  build: {
    outDir: bundle,
    emptyOutDir: true,
    sourcemap: false,
    modulePreload: false,
    assetsInlineLimit: 0,
    // Names without digests: a rebuild shows as a change of the same few files.
    rollupOptions: {
      output: { entryFileNames: "assets/explorer.js", assetFileNames: "assets/explorer[extname]" },
    },
  },
});

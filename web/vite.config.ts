import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { writeDigest } from "./digest.ts";

const root = import.meta.dirname;
const bundled = ["react", "react-dom", "scheduler"]; // their licence asks to be kept with copies
const licence = (name: string) => readFileSync(resolve(root, "node_modules", name, "LICENSE"), "utf8").trim();

/** What is done with a bundle once it is there. */
function lastWords(bundle: string, finish: () => void): Plugin {
  return {
    name: "licences-and-digest",
    apply: "build",
    closeBundle() {
      finish();
      writeDigest(root, bundle);
    },
  };
}

const shared = { emptyOutDir: true, sourcemap: false, modulePreload: false, assetsInlineLimit: 0 } as const;

// Names without digests: a rebuild shows as a change of the same few files.
function explorer() {
  const outDir = resolve(root, "../src/recombine/explorer/bundle");
  const licences = () => {
    const texts = bundled.map((name) => `${name}\n\n${licence(name)}\n`);
    writeFileSync(resolve(outDir, "licences.txt"), texts.join("\n"));
  };
  const output = { entryFileNames: "assets/explorer.js", assetFileNames: "assets/explorer[extname]" };
  return { plugins: [react(), lastWords(outDir, licences)], build: { ...shared, outDir, rollupOptions: { output } } };
}

/** One script and one style sheet, which Python puts into the page of a report: with the licence inside. */
function report() {
  const outDir = resolve(root, "../src/recombine/reports/bundle");
  const licences = () => {
    const file = resolve(outDir, "report.js");
    const texts = [...new Set(bundled.map(licence))].map((text) => `/*! React\n\n${text}\n*/\n`);
    writeFileSync(file, texts.join("") + readFileSync(file, "utf8"));
  };
  const input = resolve(root, "src/report/main.tsx");
  const output = { format: "iife", entryFileNames: "report.js", assetFileNames: "report[extname]" } as const;
  return {
    plugins: [react(), lastWords(outDir, licences)],
    build: { ...shared, outDir, cssCodeSplit: false, rollupOptions: { input, output } },
  };
}

export default defineConfig(({ mode }) => ({
  root,
  base: "./",
  server: { host: "127.0.0.1", port: 5173 },
  ...(mode === "report" ? report() : explorer()),
}));

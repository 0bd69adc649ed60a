import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // Relative, so that the gallery also works below a path of someone's proxy: the service says which in <base>.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: '../dist/gallery',
    emptyOutDir: true,
    target: 'es2023',
    cssTarget: ['chrome120', 'firefox124', 'safari17.4'],
    // Nothing inline: the page's policy lets nothing run or show that is not a file of its own.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  worker: { format: 'es' },
  plugins: [
    {
      // What the service fills in when it serves the page.
      name: 'fill-in',
      apply: 'serve',
      transformIndexHtml: (html) =>
        html.replace('%auth%', 'open').replace('%base%', '/').replace('%page-limit%', '100'),
    },
  ],
  // `npx vite gallery` beside `npm start`, for whoever works on it.
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/images': 'http://127.0.0.1:8080' } },
})

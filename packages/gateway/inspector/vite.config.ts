import { fileURLToPath } from 'node:url';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

/** One script and one sheet of styles, that a gateway serves and a report holds. */
export default defineConfig({
  root: import.meta.dirname,
  logLevel: 'warn',
  plugins: [vue()],
  define: {
    'process.env.NODE_ENV': '"production"',
    __VUE_OPTIONS_API__: 'false',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
  },
  build: {
    outDir: fileURLToPath(new URL('../dist/inspector-page', import.meta.url)),
    emptyOutDir: true,
    reportCompressedSize: false,
    // The licenses of what is in the script go where it goes.
    license: { fileName: 'LICENSES.md' },
    lib: {
      entry: 'main.ts',
      name: 'varveInspector',
      formats: ['iife'],
      fileName: () => 'inspector.js',
      cssFileName: 'inspector',
    },
  },
});

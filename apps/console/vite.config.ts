import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Builds one folder that the service serves under /console/, without external or inline resources. */
export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwind()],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Inlined files would be data: URLs, which the content security policy refuses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
  },
});

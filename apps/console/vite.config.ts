import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** One folder of files for the service to hand out under /console/: nothing in it comes from elsewhere or is inline. */
export default defineConfig({
  base: '/console/',
  plugins: [react(), tailwind()],
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // Inlined files would be data: addresses, which the content security policy refuses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
  },
});

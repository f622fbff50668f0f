import { fileURLToPath } from 'node:url';
import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

// Core's tests with hooks that cannot be made. They must fail: `core-needs-tapable.test.ts` runs some of them,
//
//     pnpm vitest run --config test/environments/broken-tapable.config.ts
//
// runs all.
const conditions = ['@varve/source', ...defaultServerConditions];

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  resolve: { conditions, alias: { tapable: fileURLToPath(new URL('./tapable-that-throws.ts', import.meta.url)) } },
  ssr: { resolve: { conditions } },
  test: { include: ['packages/core/test/**/*.test.ts'], setupFiles: ['scripts/property-seed.ts'] },
});

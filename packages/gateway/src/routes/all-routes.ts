import type { Route } from '../route/route.ts';
import { compactionRoutes } from './compaction-routes.ts';
import { contextRoutes } from './context-routes.ts';
import { eventRoutes } from './event-routes.ts';
import { lifecycleRoutes } from './lifecycle-routes.ts';
import { listRoutes } from './list-routes.ts';
import { processRoutes } from './process-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { settingsRoutes } from './settings-routes.ts';
import { turnRoutes } from './turn-routes.ts';

/** Every route of the API, in the order of the document. */
export const allRoutes: readonly Route[] = [
  ...processRoutes,
  ...listRoutes,
  ...sessionRoutes,
  ...contextRoutes,
  ...compactionRoutes,
  ...lifecycleRoutes,
  ...settingsRoutes,
  ...turnRoutes,
  ...eventRoutes,
];

export { createRouting } from './route/create-routing.ts';
export { type Route, resolveRoute } from './route/resolve-route.ts';
export type { Binding, Routing, RoutingOptions } from './route/routing.ts';

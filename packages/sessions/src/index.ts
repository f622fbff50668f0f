export { type CanonicalKeyOptions, canonicalKey } from './key/canonical-key.ts';
export { describeKey } from './key/describe-key.ts';
export { formatKey } from './key/format-key.ts';
export { parseKey } from './key/parse-key.ts';
export { looksLikeSessionId } from './key/session-id.ts';
export {
  agentOf,
  type CronKey,
  chatTypeOf,
  type DirectKey,
  type GlobalKey,
  type HookKey,
  type MainKey,
  type PersonKey,
  type RoomKey,
  type SessionKey,
  type SubagentKey,
  type ThreadPart,
} from './key/session-key.ts';
export { createRouting } from './route/create-routing.ts';
export { type Route, resolveRoute } from './route/resolve-route.ts';
export type { Binding, Routing, RoutingOptions } from './route/routing.ts';

export { type ResetRequest, resetRequestOf } from '@varve/core';
export { type BoundaryOptions, lastBoundary, nextBoundary } from './day-boundary.ts';
export { resetPolicy } from './reset-policy.ts';
export type { ResetPolicyOptions, ResetRules } from './reset-policy-options.ts';
export { type ConversationType, conversationTypeOf, type ResetPolicy, resolvePolicy } from './resolve-policy.ts';
export { isStale, previewReset, type ResetPreview, type ResetRecord } from './stale.ts';

export { createGateway, type Gateway, type GatewayOptions, type ListenOptions } from './create-gateway.ts';
export { defaultLimits, type GatewayLimits } from './limits/gateway-limits.ts';
export type { Problem } from './problem/problem.ts';
export type { LogOptions } from './server/request-log.ts';
export type { Role } from './tokens/role.ts';
export { mintToken, type NewToken, type TokenRecord, type TokenSource } from './tokens/token.ts';
export { type TokenFile, type TokenFileOptions, tokenFile } from './tokens/token-file.ts';

import type { CommandReply } from '@varve/core';

/** The reply to somebody who may not do what costs, or changes what others get. */
export function ownerOnly(what: string): CommandReply {
  return { text: `Only the owner may ${what}. Nothing was changed.`, data: { status: 'refused' } };
}

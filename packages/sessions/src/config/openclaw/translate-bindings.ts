import type { Translation } from './translation.ts';

interface Match {
  readonly channel?: unknown;
  readonly accountId?: unknown;
  readonly peer?: { readonly kind?: unknown; readonly id?: unknown } | undefined;
}

/** A binding as it is written here, and how narrow it is: the narrowest goes first. */
interface Ranked {
  readonly binding: Readonly<Record<string, unknown>>;
  readonly rank: number;
}

/** Which agent answers. OpenClaw takes the narrowest binding that fits, whatever their order; here the first one counts. */
export function translateBindings({ read, put, warn }: Translation): void {
  const from = ['bindings'];
  const given = read(from);
  if (given === undefined) return;
  if (!Array.isArray(given)) {
    put(['session', 'bindings'], given, from);
    return;
  }
  const ranked = given.flatMap((one: unknown, index): readonly Ranked[] => {
    const { agentId, match = {} } = (one ?? {}) as { readonly agentId?: unknown; readonly match?: Match };
    const unread = Object.keys(match).filter((name) => !['channel', 'accountId', 'peer'].includes(name));
    if (unread.length > 0) {
      warn(
        [...from, index],
        `is not read: there is no ${unread.join(' and no ')} here, and without it would match more.`,
      );
      return [];
    }
    const { channel, accountId, peer } = match;
    const account = accountId === '*' ? undefined : accountId;
    const rank = (peer === undefined ? 0 : 4) + (account === undefined ? 0 : 2) + (channel === undefined ? 0 : 1);
    const base = {
      agentId,
      ...(channel === undefined ? {} : { channel }),
      ...(account === undefined ? {} : { account }),
    };
    if (peer === undefined) return [{ binding: base, rank }];
    return kindsOf(peer.kind).map((chatType) => ({ binding: { ...base, chatType, peer: peer.id }, rank }));
  });
  const sorted = ranked.toSorted((a, b) => b.rank - a.rank).map(({ binding }) => binding);
  put(['session', 'bindings'], sorted, from);
}

/** `group` and `channel` stand for each other there; `dm` is `direct`. */
function kindsOf(kind: unknown): readonly unknown[] {
  if (kind === 'group' || kind === 'channel') return ['group', 'channel'];
  return [kind === 'dm' ? 'direct' : kind];
}

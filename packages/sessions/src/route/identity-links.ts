import { VarveError } from '@varve/core';
import { channelName } from './channel-name.ts';

/** Finds the person behind a name of a channel. */
export interface IdentityLinks {
  personOf(channel: string, peer: string): string | null;
  readonly size: number;
}

/**
 * Reads identity links. A name with a channel in front is theirs there, another one everywhere; the former goes first. A
 * peer is compared letter by letter, a channel whatever the case.
 *
 * @throws VARVE_ROUTING_INVALID  when a name is linked to two people, a link is empty, or names another link.
 */
export function createIdentityLinks(links: Readonly<Record<string, readonly string[]>>): IdentityLinks {
  const people = new Map<string, string>();
  for (const [person, names] of Object.entries(links)) {
    if (person.trim() === '') throw invalid('A link has no name.', 'Name each link after the person.', { person });
    if (!Array.isArray(names) || names.some((name) => typeof name !== 'string')) {
      throw invalid(`The link "${person}" is no list of names.`, 'Write { ada: ["telegram:123"] }.', { person });
    }
    for (const name of names) addName(people, { person, name, links });
  }
  return {
    personOf: (channel, peer) => people.get(placeOf(channel, peer)) ?? people.get(placeOf('', peer)) ?? null,
    size: people.size,
  };
}

function addName(
  people: Map<string, string>,
  link: { readonly person: string; readonly name: string; readonly links: Readonly<Record<string, unknown>> },
): void {
  const { person, name, links } = link;
  const colon = name.indexOf(':');
  const [channel, peer] = colon === -1 ? ['', name] : [name.slice(0, colon), name.slice(colon + 1)];
  if (peer === '' || colon === 0) {
    throw invalid(`The link "${person}" holds the name "${name}".`, 'Write names as telegram:123, or 123.', { person });
  }
  if (name !== person && Object.hasOwn(links, name)) {
    throw invalid(`The link "${person}" names the link "${name}".`, `List the names of "${name}" under one link.`, {
      person,
      name,
    });
  }
  const place = placeOf(channel, peer);
  const known = people.get(place);
  if (known !== undefined && known !== person) {
    throw invalid(`"${name}" is linked to both "${known}" and "${person}".`, 'Link each name to one person.', {
      name,
      people: [known, person],
    });
  }
  people.set(place, person);
}

/** A place that no other channel and peer share. */
function placeOf(channel: string, peer: string): string {
  return JSON.stringify([channelName(channel), peer]);
}

function invalid(message: string, fix: string, details: Record<string, string | readonly string[]>): VarveError {
  return new VarveError('VARVE_ROUTING_INVALID', message, { fix, details });
}

import type { EventBase, Unsubscribe } from '@varve/core';
import type { ChatNote, ChatView } from './chat-view.ts';
import type { OpenTalk } from './open-talk.ts';
import type { LineReader } from './read-lines.ts';

/** Tells of what goes on in the conversation while it goes on. Returns what ends that. */
export function tellEvents(
  { host: { events }, keyText }: OpenTalk,
  { view, lines }: { readonly view: ChatView; readonly lines: LineReader },
): Disposable {
  const note = (told: ChatNote): void => void lines.interject(() => view.note(told)).catch(() => undefined);
  const isHere = ({ sessionKey }: Pick<EventBase, 'sessionKey'>): boolean => sessionKey === keyText;
  const subscriptions: readonly Unsubscribe[] = [
    events.on('session-reset', (event) => {
      const why = event.reason === 'command' ? 'as you asked' : event.reason;
      const text = `— a new conversation (${why}); the one before is kept —`;
      if (isHere(event)) note({ type: 'reset', text, sessionId: event.sessionId, reason: event.reason });
    }),
    events.on('compaction-started', (event) => {
      // One in the background holds nothing up.
      if (!isHere(event) || event.reason === 'background') return;
      note({ type: 'compacting', text: 'compacting…', reason: event.reason });
    }),
    events.on('plugin-failed', (event) => {
      const text = `${event.plugin} failed in ${event.hook}: ${event.error}`;
      if (isHere(event)) note({ type: 'plugin-failed', text });
    }),
  ];
  return {
    [Symbol.dispose]: () => {
      for (const unsubscribe of subscriptions) unsubscribe();
    },
  };
}

import type { PiMessage } from '../data/pi-session.ts';

/** What is used of a session of pi. */
export interface PiSession {
  appendMessage(message: PiMessage): string;
  buildSessionContext(): { readonly messages: readonly unknown[] };
}

/** What is used of pi's `SessionManager`. */
export interface PiSessions {
  create(cwd: string, sessionDir: string): PiSession;
  open(path: string, sessionDir: string): PiSession;
}

/** The sessions of `@mariozechner/pi-coding-agent`. @throws when it is not installed. */
export async function loadPi(): Promise<PiSessions> {
  const { SessionManager } = await import('@mariozechner/pi-coding-agent');
  return SessionManager as unknown as PiSessions;
}

setInterval(() => undefined, 60_000);
await new Promise(() => undefined);

/**
 * How long the demo waits for anything. On a calm machine all of it happens within seconds, and the held payment within
 * its minute; a busy one needs minutes, and is no reason to call the demo wrong.
 */
export const patienceMs = 300_000;

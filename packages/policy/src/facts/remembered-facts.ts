import { type FactRow, login, session } from './fact-row.ts';

/** What the engine remembers of a client's devices and places. Spans run on the time of the log. */
export const familiarFacts: readonly FactRow[] = [
  [
    session,
    'device.match',
    'string',
    'How the device was recognised, among the devices of its client: "exact" by its id and the key that proved it; "similar" by its traits, with `device.score`; "new" when neither. Missing unless the state is "present".',
    ['exact', 'similar', 'new'],
  ],
  [
    session,
    'device.score',
    'int',
    'How much of the possible evidence speaks for the device, 0 to 100. Only where `device.match` is "similar".',
  ],
  [
    session,
    'device.isNew',
    'bool',
    'Whether the client never logged in with this device before: `device.match` is "new". True on the first login of a client as well.',
  ],
  [session, 'device.firstSeenAt', 'timestamp', 'When the client first logged in with this device.'],
  [session, 'device.knownFor', 'duration', 'Time since then; 0s on the first login with it.'],
  [
    login,
    'device.lastSeen',
    'duration',
    'Time since the login with this device before this one; missing when it is new.',
  ],
  [login, 'device.logins', 'int', 'Logins of the client with this device, this one included.'],
  [
    session,
    'device.trusted',
    'bool',
    'Whether a step-up was executed on this device, or an event from it was labelled legitimate, and it has proved its id at each login since. A label of fraud takes it back. A device that is only similar is not trusted.',
  ],
  [
    session,
    'device.changed',
    'string',
    'Traits that are not as they were at the last login with this device, with commas between: `userAgent,canvas`. Missing when none changed, or nothing is known.',
  ],
  [
    session,
    'device.keyChanged',
    'bool',
    'Whether the id is one of this client\'s devices and came with another key, or without one. The browser lost its key, and `device.match` is "similar"; or the id was copied, and it is "new".',
  ],
  [
    session,
    'device.browserBehind',
    'int',
    'How many major versions the browser is behind the newest one in use: the highest version of the same browser with which ten clients of the workspace logged in within 30 days. 0 for that one and those that come after it. Missing until a version has so many clients. Safari left out 19 to 25.',
  ],
  [
    session,
    'ip.isNew',
    'bool',
    'Whether the client is not known to have logged in from this address. The last 32 addresses of a client are known.',
  ],
  [session, 'ip.networkIsNew', 'bool', 'The same of `ip.network`. The last 32 networks of a client are known.'],
  [session, 'ip.countryIsNew', 'bool', 'The same of `ip.country`. The last 16 countries of a client are known.'],
  [
    login,
    'travel.km',
    'int',
    'Way from the last login of the client to this one, in a straight line. Only between logins whose places are known; those from data centres, VPNs, Tor and proxies do not count.',
  ],
  [login, 'travel.hours', 'double', 'Time between these two logins, one minute at least.'],
  [
    login,
    'travel.kmh',
    'int',
    'Speed at the least: the uncertainty of both places (`ip.accuracyKm`) is taken off the way.',
  ],
  [
    session,
    'travel.impossible',
    'bool',
    'Whether nobody travels so fast: more than 1,000 km/h at the least, over more than 100 km.',
  ],
];

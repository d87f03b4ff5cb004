import { all, type FactRow, login, session } from './fact-row.ts';

/** Facts about a client's known devices and places. Spans run on the time of the log. */
export const rememberedFacts: readonly FactRow[] = [
  [
    session,
    'device.match',
    'string',
    'How the device was recognised, among the devices of its client: "exact" by its id and the key that proved it; "similar" by its traits, with `device.score`; otherwise "new". Missing unless the state is "present".',
    ['exact', 'similar', 'new'],
  ],
  [
    session,
    'device.score',
    'int',
    'How much of the possible evidence supports the match, 0 to 100. Only if `device.match` is "similar".',
  ],
  [
    session,
    'device.isNew',
    'bool',
    'Whether the client has never logged in with this device before: `device.match` is "new". Also true on the first login of a client.',
  ],
  [session, 'device.firstSeenAt', 'timestamp', 'When the client first logged in with this device.'],
  [session, 'device.knownFor', 'duration', 'Time since then; 0s on the first login with it.'],
  [login, 'device.lastSeen', 'duration', 'Time since the previous login with this device; missing if it is new.'],
  [login, 'device.logins', 'int', 'Logins of the client with this device, this one included.'],
  [
    session,
    'device.trusted',
    'bool',
    'Whether a step-up was passed on this device by a method that the policy trusts (or was executed, with `trusts: device`), or an event from it was labelled legitimate, and it has proved its id at each login since. A label of fraud revokes the trust. A device that is only similar is not trusted.',
  ],
  [
    session,
    'device.changed',
    'string',
    'Traits that changed since the last login with this device, separated by commas: `userAgent,canvas`. Missing if none changed, or nothing is known.',
  ],
  [
    session,
    'device.keyChanged',
    'bool',
    'Whether the id belongs to one of this client\'s devices but came with another key, or without one. Either the browser lost its key, and `device.match` is "similar"; or the id was copied, and it is "new".',
  ],
  [
    session,
    'device.browserBehind',
    'int',
    'How many major versions the browser is behind the newest one in use: the highest version of the same browser with which ten clients of the workspace logged in within 30 days. 0 for that version and newer ones. Missing until a version has ten clients. Safari skipped 19 to 25.',
  ],
  [
    all,
    'ip.subnet',
    'string',
    'The network of one line: the first 64 bits of an IPv6 address, `2001:db8:1:2::/64`, within which a device changes its address every day; all of an IPv4 address, `203.0.113.7/32`. Missing if `publicIp` is no address.',
  ],
  [
    all,
    'session.subnetChanged',
    'bool',
    'Whether this login or logout, or a login before it, came from another `ip.subnet` than the login that opened the session. Missing if no such session is known.',
  ],
  [
    session,
    'ip.isNew',
    'bool',
    'Whether the client is not known to have logged in from this address. The last 32 addresses of a client are remembered.',
  ],
  [
    session,
    'ip.networkIsNew',
    'bool',
    'Whether the client is not known to have logged in from this `ip.network`. The last 32 networks of a client are remembered.',
  ],
  [
    session,
    'ip.countryIsNew',
    'bool',
    'Whether the client is not known to have logged in from this `ip.country`. The last 16 countries of a client are remembered.',
  ],
  [
    login,
    'travel.km',
    'int',
    'Distance from the last login of the client to this one, in a straight line. Only between logins whose places are known; those from data centres, VPNs, Tor and proxies do not count.',
  ],
  [login, 'travel.hours', 'double', 'Time between these two logins, at least one minute.'],
  [
    login,
    'travel.kmh',
    'int',
    'The minimum speed: the uncertainty of both places (`ip.accuracyKm`) is subtracted from the distance.',
  ],
  [
    session,
    'travel.impossible',
    'bool',
    'Whether the travel is impossible: a minimum speed above 1,000 km/h, over more than 100 km.',
  ],
];

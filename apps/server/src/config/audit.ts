import { Type } from 'typebox';
import { facilities, type Facility } from '../access/audit/syslog/syslog-settings.ts';
import { exactly, oneOf, text, wholeNumber, yesOrNo } from '../platform/shapes/shape.ts';

const address = 'an address like tls://siem.bank.example:6514, or tcp://127.0.0.1:601';
/** RFC 5425, section 4.1. */
const tlsPort = 6_514;
const fileNameMax = 4_096;
const formatDefault = 'rfc5424';
const facilityDefault = 'audit';
/** Receivers of RFC 5425 should take as much. */
const messageBytesDefault = 8_192;
/** Reserved for examples (RFC 5612): an installation without a number of its own harms no one by it. */
const enterpriseNumberDefault = 32_473;

const file = (expected: string, description: string) =>
  Type.Optional(text({ maxLength: fileNameMax, expected, description }));

const syslogShape = exactly(
  {
    to: text({
      maxLength: 300,
      expected: address,
      description:
        'The server, over TLS (RFC 5425; port 6514 if none is given) or over TCP. There is no UDP, which loses messages.',
      refine: addressRefusal,
    }),
    plaintext: yesOrNo({
      default: false,
      description:
        'Allows `tcp://` to another machine: without encryption, and without proof of who reads it. To this machine it needs no word.',
    }),
    format: oneOf(['rfc5424', 'cef'], {
      default: formatDefault,
      description: '`rfc5424`: structured data, and the details as JSON. `cef`: Common Event Format in the message.',
    }),
    facility: oneOf(Object.keys(facilities) as Facility[], { default: facilityDefault }),
    caFile: file(
      'the path of a PEM file with certificates',
      'If set, only these are trusted. Without it: the authorities that Node.js trusts.',
    ),
    clientCertificateFile: file('the path of a PEM file with a certificate', 'For a server that asks for one.'),
    clientKeyFile: file('the path of a PEM file with a private key', 'The key of this certificate.'),
    messageBytes: wholeNumber({
      minimum: 2_048,
      maximum: 65_536,
      unit: 'bytes',
      default: messageBytesDefault,
      description:
        'The longest message that the server takes. Longer details are cut, with a mark; numbers, hashes and signatures never are.',
    }),
    enterpriseNumber: wholeNumber({
      minimum: 1,
      maximum: 4_294_967_295,
      default: enterpriseNumberDefault,
      description: 'The private enterprise number in the name of the structured data, `audit@NUMBER`.',
    }),
  },
  {
    description: 'A syslog server that gets every entry of the audit log, at least once.',
    refine: ({ to, plaintext, ...files }) => {
      const { tls, host } = parseAddress(to)!;
      if (!tls && !isLoopback(host) && !plaintext) {
        return [{ path: ['to'], expected: 'tls://; or plaintext: true beside it, to send without encryption' }];
      }
      const { caFile, clientCertificateFile: certificate, clientKeyFile: key } = files;
      const given = { caFile, clientCertificateFile: certificate, clientKeyFile: key };
      const idle = Object.entries(given).flatMap(([name, value]) => (value === undefined || tls ? [] : [name]));
      if (idle.length > 0) return idle.map((name) => ({ path: [name], expected: 'no such file with tcp://' }));
      if (certificate !== undefined && key === undefined) {
        return [{ path: ['clientKeyFile'], expected: 'a file beside clientCertificateFile' }];
      }
      if (key !== undefined && certificate === undefined) {
        return [{ path: ['clientCertificateFile'], expected: 'a file beside clientKeyFile' }];
      }
      return undefined;
    },
  },
);

export type WrittenSyslog = Type.Static<typeof syslogShape>;

export const auditShape = exactly(
  { syslog: Type.Optional(syslogShape) },
  { description: 'Where the audit log leaves to.' },
);

interface Address {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

function addressRefusal(given: string): string | undefined {
  if (/^udp:/i.test(given)) return 'tls:// or tcp://: UDP loses messages';
  return parseAddress(given) === undefined ? address : undefined;
}

/** The address of a syslog server; `undefined` if it cannot be read as one. */
export function parseAddress(given: string): Address | undefined {
  const found =
    /^(?<scheme>tls|tcp):\/\/(?:\[(?<address>[0-9A-Fa-f:.]+)\]|(?<name>[0-9A-Za-z._-]+))(?::(?<port>\d{1,5}))?$/.exec(
      given,
    )?.groups;
  if (found === undefined) return undefined;
  const tls = found['scheme'] === 'tls';
  const port = found['port'] === undefined && tls ? tlsPort : Number(found['port'] ?? 0);
  if (port < 1 || port > 65_535) return undefined;
  return { host: (found['address'] ?? found['name'])!, port, tls };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** How `ringfence.yaml` says where a Kafka cluster is: the same members wherever one is named. */
import { Type } from 'typebox';
import { saslMechanisms } from '../platform/kafka-client.ts';
import { exactly, listOf, oneOf, text } from '../platform/shapes/shape.ts';

const broker = 'the host and port of a broker, like kafka-1.bank.example:9092';
const brokersMax = 32;

const brokerShape = text({
  maxLength: 261,
  expected: broker,
  refine: (given) => (portOf(given) === undefined ? broker : undefined),
});

const file = (expected: string, description: string): Type.TOptional<Type.TString> =>
  Type.Optional(text({ maxLength: 4_096, expected, description }));

/** The members of a mapping that names a Kafka cluster. */
export const kafkaConnectionMembers = {
  brokers: listOf(brokerShape, {
    minItems: 1,
    maxItems: brokersMax,
    expected: 'a list of brokers',
    description: 'Some brokers of the cluster, as `host:port`; the others are learned from them.',
  }),
  tls: Type.Optional(
    exactly(
      {
        caFile: file(
          'the path of a PEM file with certificates',
          'If set, only these are trusted. Without it: the authorities that Node.js trusts.',
        ),
        certFile: file('the path of a PEM file with a certificate', 'For brokers that ask for one.'),
        keyFile: file('the path of a PEM file with a private key', 'The key of this certificate.'),
      },
      {
        description: 'TLS; `{}` for brokers whose certificates Node.js trusts. Without it: plain text.',
        refine: ({ certFile, keyFile }) =>
          (certFile === undefined) === (keyFile === undefined)
            ? undefined
            : [{ path: [certFile === undefined ? 'certFile' : 'keyFile'], expected: 'both certFile and keyFile' }],
      },
    ),
  ),
  sasl: Type.Optional(
    exactly(
      {
        mechanism: oneOf(saslMechanisms),
        username: text({ maxLength: 256, expected: 'a user name' }),
        password: text({ maxLength: 1_024, secret: true, expected: 'a password' }),
      },
      { description: 'The log-in to the brokers. Take the password from the environment: `${KAFKA_PASSWORD}`.' },
    ),
  ),
};

/** The port of `host:port`; IPv6 addresses have brackets. */
function portOf(given: string): number | undefined {
  const port = Number(/^(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+):(\d{1,5})$/.exec(given)?.[1] ?? 0);
  return port >= 1 && port <= 65_535 ? port : undefined;
}

import type { Type } from 'typebox';
import type { KafkaConnection } from '../platform/kafka-client.ts';
import { named } from '../platform/shapes/check.ts';
import { exactly } from '../platform/shapes/shape.ts';
import { certificateRefusal } from '../tenancy/workspaces/pem.ts';
import { type Findings, readText } from './declared-workspace.ts';
import { kafkaConnectionMembers } from './kafka-shape.ts';
import { readKeyPair } from './listener.ts';

const membersShape = exactly(kafkaConnectionMembers);
type Written = Type.Static<typeof membersShape>;

/**
 * The connection, with its files read, to report now what could not be used later.
 *
 * @param at the path of the mapping in the file
 */
export function resolveKafkaConnection(
  { brokers, tls, sasl }: Written,
  at: readonly (string | number)[],
  findings: Findings,
): KafkaConnection {
  if (sasl?.mechanism === 'PLAIN' && tls === undefined && !brokers.every(isLoopback)) {
    findings.wrong([...at, 'tls'], `${named([...at, 'tls'])}: expected TLS, because PLAIN sends the password readable`);
  }
  if (tls === undefined) return { brokers, tls, sasl };
  const { caFile, certFile, keyFile } = tls;
  const pem = caFile === undefined ? undefined : readText([...at, 'tls', 'caFile'], caFile, findings);
  const refusal = pem === undefined ? undefined : certificateRefusal(pem);
  if (refusal !== undefined) {
    findings.wrong([...at, 'tls', 'caFile'], `${named([...at, 'tls', 'caFile'])}: expected ${refusal}`);
  }
  const pair = certFile === undefined || keyFile === undefined ? undefined : { certificate: certFile, key: keyFile };
  if (pair !== undefined) {
    readKeyPair(pair, { certificate: [...at, 'tls', 'certFile'], key: [...at, 'tls', 'keyFile'] }, findings);
  }
  return {
    brokers,
    tls: {
      ca: caFile === undefined ? undefined : findings.resolve(caFile),
      client: pair && { certificate: findings.resolve(pair.certificate), key: findings.resolve(pair.key) },
    },
    sasl,
  };
}

function isLoopback(given: string): boolean {
  return /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3}):/.test(given);
}

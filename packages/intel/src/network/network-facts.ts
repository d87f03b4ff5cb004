/**
 * Facts that ingest derives from an address, before the event is stored:
 *
 *     text -> address -> public? -> the operator's databases, then the built-in table -> lists and kinds
 *
 * A flag is missing if no installed source covers it; it is false only if a source does.
 */
import { type IpAddress, parseIpAddress, printIpAddress, printIpNetwork, translatedIpv4 } from '@ringfence/contract';
import type { Facts } from '../signal-facts.ts';
import { factLengthMax } from '../limits.ts';
import { countryOf } from './country-table.ts';
import type { MmdbEntry } from './mmdb-file.ts';
import type { NetworkData } from './network-data.ts';
import { kindOfOperator, type NetworkKind, networkKinds } from './operator-kinds.ts';
import { kindOfAddress } from './special-addresses.ts';

/** Facts of an address by their paths. Takes 1 to 3 microseconds. */
export function networkFacts(publicIp: string, data: NetworkData): Readonly<Facts> {
  const written = parseIpAddress(publicIp);
  if (written === undefined) return { 'ip.valid': false };
  const address = translatedIpv4(written) ?? written;
  const kind = kindOfAddress(address);
  const facts: Facts = {
    'ip.valid': true,
    'ip.version': address.version,
    'ip.address': printIpAddress(address),
    'ip.network': printIpNetwork({ address, prefixLength: siteBits[address.version] }),
    'ip.kind': kind,
  };
  if (kind === 'public') place(facts, address, data);
  return facts;
}

/** Prefix of the network that one household, office or rented server usually has. */
const siteBits = { 4: 24, 6: 48 } as const;

/** Kinds of network that hide the person's real place. */
const hiding: readonly NetworkKind[] = ['vpn', 'tor', 'relay', 'proxy'];

function place(facts: Facts, address: IpAddress, data: NetworkData): void {
  const entries = data.databases.flatMap((database) => database.find(address) ?? []);
  const world = data.world.find(address.version, address.words);
  const asn = first(entries, 'asn') ?? world?.operator?.asn;
  const organisation =
    first(entries, 'organisation') ?? (asn === world?.operator?.asn ? world?.operator?.organisation : undefined);
  if (asn !== undefined) facts['ip.asn'] = asn;
  if (organisation !== undefined) facts['ip.organisation'] = organisation.slice(0, factLengthMax).toWellFormed();
  locate(facts, entries, world?.country);
  const operatorKind = asn === undefined ? undefined : kindOfOperator({ asn, organisation: organisation ?? '' });
  for (const kind of networkKinds) {
    const known = flagOf(kind, { address, data, entries, operatorKind, hasOperator: asn !== undefined });
    if (known !== undefined) facts[`ip.${kind}`] = known;
  }
  facts['ip.anonymous'] = hiding.some((kind) => facts[`ip.${kind}`] === true);
}

/** The city if a database has one, otherwise the middle of the country. */
function locate(facts: Facts, entries: readonly MmdbEntry[], worldCountry: string | undefined): void {
  const code = first(entries, 'country') ?? worldCountry;
  const country = code === undefined ? undefined : countryOf(code);
  if (code !== undefined) facts['ip.country'] = code;
  if (country !== undefined) facts['ip.continent'] = country.continent;
  const city = entries.find(({ latitude, longitude }) => latitude !== undefined && longitude !== undefined);
  if (city?.city !== undefined) facts['ip.city'] = city.city.slice(0, factLengthMax).toWellFormed();
  const { latitude, longitude } = city ?? country ?? {};
  if (latitude === undefined || longitude === undefined) return;
  facts['ip.latitude'] = latitude;
  facts['ip.longitude'] = longitude;
  facts['ip.accuracyKm'] = city === undefined ? country!.radiusKm : (city.accuracyKm ?? cityAccuracyKm);
}

/** For a position without an accuracy in its database: few city positions have a larger error. */
const cityAccuracyKm = 100;

interface Sources {
  readonly address: IpAddress;
  readonly data: NetworkData;
  readonly entries: readonly MmdbEntry[];
  readonly operatorKind: NetworkKind | undefined;
  readonly hasOperator: boolean;
}

function flagOf(
  kind: NetworkKind,
  { address, data, entries, operatorKind, hasOperator }: Sources,
): boolean | undefined {
  const list = data.lists[kind];
  if (list?.has(address) === true || operatorKind === kind) return true;
  const told = entries.find(({ kinds: of }) => of[kind] !== undefined)?.kinds[kind];
  if (told !== undefined) return told;
  // Hosting operators are known well enough; operators of the other kinds change often.
  return list !== undefined || (kind === 'hosting' && hasOperator) ? false : undefined;
}

function first<Member extends keyof MmdbEntry>(
  entries: readonly MmdbEntry[],
  member: Member,
): MmdbEntry[Member] | undefined {
  return entries.find((entry) => entry[member] !== undefined)?.[member];
}

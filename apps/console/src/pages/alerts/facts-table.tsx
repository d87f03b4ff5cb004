import type { ReactElement, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertFacts } from '../../api/operations.generated.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Amount } from '../../parts/amount.tsx';
import { Badge } from '../../parts/badge.tsx';
import { ChannelName } from '../../parts/channel-name.tsx';
import { DbIpNote } from '../../parts/db-ip-note.tsx';
import { EntityLink } from '../../parts/entity-link.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';
import { AmountStrip } from './amount-strip.tsx';
import { HourStrip } from './hour-strip.tsx';
import { useCountryName } from '../../format/use-country-name.ts';

interface FactsProps {
  readonly facts: AlertFacts;
}

/** What happened, fact by fact, beside what is normal for the client. */
export function FactsTable({ facts }: FactsProps): ReactElement {
  const { t } = useTranslation();
  const { address, usual, sessionRef } = facts;
  const isUnusual = usual.hours[facts.hour] === 0 && usual.events > 0;
  return (
    <Panel
      title={t('alerts.facts')}
      hint={
        usual.since === undefined ? (
          t('alerts.noHistory')
        ) : (
          <>
            {t('alerts.compared', { count: usual.events })} <Instant at={usual.since} as="day" />
          </>
        )
      }
      tools={address?.country === undefined ? undefined : <DbIpNote />}
      flush
    >
      <dl className="grid grid-cols-[5.5rem_minmax(0,1fr)] px-4 pt-1 pb-3 text-sm md:grid-cols-[5.5rem_minmax(0,1fr)_minmax(0,1.1fr)]">
        <Row name={t('alerts.fact.amount')} usual={<AmountStrip facts={facts} />}>
          {facts.amount === undefined ? '–' : <Amount digits={facts.amount} currency={facts.currency} />}
        </Row>
        <Payee facts={facts} />
        <Country facts={facts} />
        <Network facts={facts} />
        <Device facts={facts} />
        <Row name={t('alerts.fact.time')} usual={<HourStrip hours={usual.hours} marked={facts.hour} />}>
          <Instant at={facts.at} />
          {isUnusual ? <Badge tone="warn">{t('alerts.unusualHour')}</Badge> : null}
        </Row>
        <Row name={t('alerts.fact.channel')}>
          <ChannelName id={facts.channelId} />
          {sessionRef === undefined ? null : <EntityLink kind="session" name={t('event.session')} of={sessionRef} />}
        </Row>
      </dl>
    </Panel>
  );
}

interface RowProps {
  readonly name: string;
  readonly usual?: ReactNode;
  readonly children: ReactNode;
}

function Row({ name, usual, children }: RowProps): ReactElement {
  return (
    <div className="col-span-full grid min-h-8 grid-cols-subgrid items-center gap-x-4 border-t border-line py-0.5 first:border-t-0">
      <dt className="text-soft">{name}</dt>
      <dd className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 wrap-anywhere">{children}</dd>
      {usual === undefined ? null : <dd className="min-w-0 text-soft max-md:col-start-2 max-md:pb-1">{usual}</dd>}
    </div>
  );
}

function Payee({ facts: { payee, usual } }: FactsProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Row name={t('alerts.fact.payee')} usual={t('alerts.usualPayees', { count: usual.payees })}>
      {payee === undefined ? (
        '–'
      ) : (
        <>
          <EntityLink kind="payee" name={payee.value ?? payee.ref} of={payee.ref} />
          <Known thing={payee} fresh={t('alerts.newPayee')} />
        </>
      )}
    </Row>
  );
}

function Country({ facts: { address, usual } }: FactsProps): ReactElement {
  const { t } = useTranslation();
  const nameOf = useCountryName();
  const { country, city, ref } = address ?? {};
  const isNew =
    country !== undefined && usual.origins.length > 0 && usual.origins.every((one) => one.country !== country);
  const origins = usual.origins.map((one) => `${nameOf(one.country)} ${one.logins}×`).join(', ');
  return (
    <Row name={t('alerts.fact.country')} usual={origins === '' ? t('alerts.noLogins') : origins}>
      {country === undefined ? (
        '–'
      ) : (
        <EntityLink kind="ip" name={[nameOf(country), city].filter(Boolean).join(', ')} of={ref} />
      )}
      {isNew ? <Badge tone="warn">{t('alerts.newCountry')}</Badge> : null}
    </Row>
  );
}

function Network({ facts: { address } }: FactsProps): ReactElement {
  const { t } = useTranslation();
  if (address === undefined) return <Row name={t('alerts.fact.network')}>–</Row>;
  const { asn, operator, value, ref, hosting, anonymous } = address;
  const owner = [asn === undefined ? undefined : `AS${asn}`, operator].filter((one) => one !== undefined).join(' ');
  return (
    <Row name={t('alerts.fact.network')} usual={<KnownSince thing={address} />}>
      <EntityLink kind="ip" name={value ?? ref} of={ref} mono />
      {owner === '' ? null : <span className="min-w-0 truncate text-soft">{owner}</span>}
      {hosting === true ? <Badge tone="warn">{t('alerts.hosting')}</Badge> : null}
      {anonymous === true ? <Badge tone="warn">{t('alerts.anonymous')}</Badge> : null}
      <Known thing={address} fresh={t('alerts.newAddress')} />
    </Row>
  );
}

function Device({ facts: { device, usual } }: FactsProps): ReactElement {
  const { t } = useTranslation();
  const { browser, os, value, ref = '' } = device ?? {};
  const name = [browser, os].filter((one) => one !== undefined).join(', ');
  return (
    <Row name={t('alerts.fact.device')} usual={t('alerts.usualDevices', { count: usual.devices })}>
      {device === undefined ? (
        '–'
      ) : (
        <>
          <EntityLink kind="device" name={name === '' ? (value ?? ref) : name} of={ref} />
          <Known thing={device} fresh={t('alerts.newDevice')} />
        </>
      )}
    </Row>
  );
}

interface KnownProps {
  readonly thing: { readonly earlier: number; readonly firstAt?: string };
}

/** Whether the client had it before. */
function Known({ thing, fresh }: KnownProps & { readonly fresh: string }): ReactElement {
  const { t } = useTranslation();
  if (thing.earlier === 0) return <Badge tone="warn">{fresh}</Badge>;
  return <span className="text-xs text-soft">{t('alerts.seenBefore', { count: thing.earlier })}</span>;
}

function KnownSince({ thing: { firstAt } }: KnownProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  return <>{firstAt === undefined ? t('alerts.notSeen') : t('alerts.seenSince', { day: formats.day(firstAt) })}</>;
}

import { type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { AlertDetail, AlertFacts, SummaryPart } from '../../api/operations.generated.ts';
import { EntityLink } from '../../parts/entity-link.tsx';
import { Badge } from '../../parts/badge.tsx';
import { useRuleNames } from '../policy/use-rule-names.ts';

/** Sentences in the heading; further rules are named by their numbers. */
const sentencesMax = 2;

interface WhatHappenedProps {
  readonly alert: AlertDetail;
  /** Absent while they load, and once the event was removed. */
  readonly facts: AlertFacts | undefined;
}

/** What happened, in the words of the rules that fired; a rule without words is named. */
export function WhatHappened({ alert, facts }: WhatHappenedProps): ReactElement {
  const names = useRuleNames();
  const language = useTranslation().i18n.language;
  const told = [...new Set([...alert.summary.map(({ reason }) => reason), ...alert.reasons])];
  const partsOf = (reason: number): readonly SummaryPart[] => {
    const own = alert.summary.filter((one) => one.reason === reason);
    const summary = own.find((one) => one.language.split('-', 1)[0] === language) ?? own[0];
    return summary?.parts ?? [{ text: names?.get(reason) ?? String(reason) }];
  };
  return (
    <ul className="flex flex-col gap-0.5 pt-1 wrap-anywhere">
      {told.slice(0, sentencesMax).map((reason, at) => (
        <li key={reason} className={at === 0 ? 'text-base font-semibold' : 'text-sm'}>
          {partsOf(reason).map((part, place) => (
            <Part key={place} part={part} facts={facts} />
          ))}{' '}
          <Badge title={names?.get(reason) ?? ''}>{reason}</Badge>
        </li>
      ))}
      {told.length > sentencesMax ? (
        <li className="flex flex-wrap gap-1">
          {told.slice(sentencesMax).map((reason) => (
            <Badge key={reason} title={names?.get(reason) ?? ''}>
              {reason}
            </Badge>
          ))}
        </li>
      ) : null}
    </ul>
  );
}

/** A literal text, or a value, linked if it names something that has a page. */
function Part({ part: { text, of }, facts }: { readonly part: SummaryPart; readonly facts: AlertFacts | undefined }) {
  const [fact, ...others] = of ?? [];
  const entity = fact === undefined || others.length > 0 ? undefined : entityOf(fact, facts);
  return entity?.of === undefined ? <>{text}</> : <EntityLink kind={entity.kind} name={text} of={entity.of} />;
}

/** The entity that a fact names. */
function entityOf(fact: string, facts: AlertFacts | undefined) {
  switch (fact) {
    case 'client.id':
    case 'user':
    case 'account.client':
      return { kind: 'client', of: facts?.clientRef } as const;
    case 'payee.id':
      return { kind: 'payee', of: facts?.payee?.ref } as const;
    case 'publicIp':
    case 'ip.address':
    case 'session.ip':
      return { kind: 'ip', of: facts?.address?.ref } as const;
    case 'device.id':
      return { kind: 'device', of: facts?.device?.ref } as const;
    default:
      return undefined;
  }
}

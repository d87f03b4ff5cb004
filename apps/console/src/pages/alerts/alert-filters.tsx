import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { SlidersHorizontal, X } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asking } from '../../api/use-api.ts';
import { useSession, useWorkspace, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/field.tsx';
import { TypedFilter } from '../../parts/typed-filter.tsx';
import { ruleLabel, useRuleNames } from '../policy/use-rule-names.ts';
import { AlertViewMenu } from './alert-view-menu.tsx';
import { type AlertFilters, alertSorts, type AlertsSearch, type AlertView, readAlertFilters } from './alerts-search.ts';
import { verdicts } from './verdict.ts';

type ListView = Exclude<AlertView, 'suppressed'>;

type Narrow = (change: Readonly<Record<string, unknown>>) => void;

interface FiltersProps {
  readonly filters: AlertFilters;
  readonly narrow: Narrow;
}

/** Views, order and filters of the list. Every choice is stored in the address. */
export function AlertFilterBar({ view }: { readonly view: ListView }): ReactElement {
  const { t } = useTranslation();
  const search = useSearch({ from: '/w/$workspace/alerts' });
  const navigate = useNavigate({ from: '/w/$workspace/alerts' });
  const filters = readAlertFilters(search);
  const narrow: Narrow = (change) =>
    void navigate({
      search: (before: AlertsSearch) => ({ ...kept(before), ...readAlertFilters({ ...before, ...change }) }),
      resetScroll: false,
    });
  const { sort, ...narrowing } = filters;
  const count = Object.keys(narrowing).length;
  const [isOpen, setOpen] = useState(count > 0);
  return (
    <div className="flex flex-col gap-2" role="search" aria-label={t('alerts.filters')}>
      <div className="flex flex-wrap items-center gap-2">
        <AlertViewMenu view={view} filters={filters} />
        {view === 'closed' ? null : (
          <Choice
            bare
            label={t('alerts.sort')}
            className="w-52"
            value={sort ?? 'queue'}
            onChange={({ target }) => narrow({ sort: target.value === 'queue' ? undefined : target.value })}
            options={alertSorts.map((value) => ({ value, label: t(`alerts.sorts.${value}`) }))}
          />
        )}
        <Button aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <SlidersHorizontal aria-hidden className="size-4" />
          {count === 0 ? t('alerts.filter') : t('alerts.filtered', { count })}
        </Button>
        {count === 0 ? null : (
          <Button look="quiet" small onClick={() => void navigate({ search: kept, resetScroll: false })}>
            <X aria-hidden className="size-3.5" />
            {t('alerts.all')}
          </Button>
        )}
      </div>
      {isOpen ? (
        <div className="flex flex-wrap items-center gap-2">
          {view === 'queue' ? <PersonFilter filters={filters} narrow={narrow} /> : null}
          <EventFilters filters={filters} narrow={narrow} />
          {view === 'closed' ? <OutcomeFilter filters={filters} narrow={narrow} /> : null}
          <AgeFilter filters={filters} narrow={narrow} />
        </div>
      ) : null}
    </div>
  );
}

/** What stays when the filters are cleared. */
function kept({ view, alert }: AlertsSearch): AlertsSearch {
  return { ...(view === undefined ? {} : { view }), ...(alert === undefined ? {} : { alert }) };
}

function PersonFilter({ filters, narrow }: FiltersProps): ReactElement {
  const { t } = useTranslation();
  const me = useSession().account.email;
  const workspace = useWorkspaceName();
  const analysts = useQuery(asking('listAnalysts', { params: { workspace } })).data?.items ?? [];
  const { assigned = '' } = filters;
  const others = analysts.filter(({ email }) => email !== me);
  const isKnown = ['', 'me', 'none', 'any', ...others.map(({ email }) => email)].includes(assigned);
  return (
    <Choice
      bare
      label={t('alerts.assigned')}
      className="w-44"
      value={assigned}
      onChange={({ target }) => narrow({ assigned: target.value })}
      options={[
        { value: '', label: t('alerts.assignedTo.anybody') },
        ...(['me', 'none', 'any'] as const).map((value) => ({ value, label: t(`alerts.assignedTo.${value}`) })),
        ...others.map(({ email, name }) => ({ value: email, label: name })),
        ...(isKnown ? [] : [{ value: assigned, label: assigned }]),
      ]}
    />
  );
}

/** The risks that can be chosen as the least. */
const risks = [20, 40, 60, 80];

/** Rule, channel, risk and money. */
function EventFilters({ filters, narrow }: FiltersProps): ReactElement {
  const { t } = useTranslation();
  const channels = useWorkspace()?.channels ?? [];
  const names = useRuleNames();
  const { reason, channel, riskMin, currency, amountMin } = filters;
  const rules = [...new Set([...(names?.keys() ?? []), ...(reason === undefined ? [] : [reason])])];
  return (
    <>
      <Choice
        bare
        label={t('events.rule')}
        className="w-56"
        value={reason ?? ''}
        onChange={({ target }) => narrow({ reason: target.value })}
        options={[
          { value: '', label: t('alerts.allRules') },
          ...rules.map((one) => ({ value: String(one), label: ruleLabel(one, names) })),
        ]}
      />
      <Choice
        bare
        label={t('event.channel')}
        className="w-40"
        value={channel ?? ''}
        onChange={({ target }) => narrow({ channel: target.value })}
        options={[
          { value: '', label: t('events.anyChannel') },
          ...channels.map(({ id, name }) => ({ value: String(id), label: `${id} ${name}` })),
        ]}
      />
      <Choice
        bare
        label={t('alerts.riskMin')}
        className="w-40"
        value={riskMin ?? ''}
        onChange={({ target }) => narrow({ riskMin: target.value })}
        options={[
          { value: '', label: t('alerts.anyRisk') },
          ...[...new Set([...risks, ...(riskMin === undefined ? [] : [riskMin])])].map((value) => ({
            value: String(value),
            label: t('alerts.riskFrom', { value }),
          })),
        ]}
      />
      <TypedFilter
        label={t('events.currency')}
        className="w-24"
        value={currency ?? ''}
        onChange={(value) => narrow({ currency: value })}
      />
      <TypedFilter
        label={t('events.amountMin')}
        className="w-32"
        value={amountMin === undefined ? '' : String(amountMin)}
        onChange={(value) => narrow({ amountMin: value })}
      />
    </>
  );
}

function OutcomeFilter({ filters, narrow }: FiltersProps): ReactElement {
  const { t } = useTranslation();
  return (
    <Choice
      bare
      label={t('alerts.outcomeFilter')}
      className="w-40"
      value={filters.outcome ?? ''}
      onChange={({ target }) => narrow({ outcome: target.value })}
      options={[
        { value: '', label: t('alerts.anyOutcome') },
        ...([...verdicts, 'suppressed'] as const).map((value) => ({
          value,
          label: t(`alerts.outcome.${value}`),
        })),
      ]}
    />
  );
}

/** Minutes. */
const ages = { hour: 60, fourHours: 240, day: 1_440, threeDays: 4_320 } as const;

function AgeFilter({ filters, narrow }: FiltersProps): ReactElement {
  const { t } = useTranslation();
  const hasDueTimes = useWorkspace()?.settings.alerts?.dueMinutes !== undefined;
  const { olderThan, due } = filters;
  const isKnown = olderThan === undefined || Object.values<number>(ages).includes(olderThan);
  return (
    <Choice
      bare
      label={t('alerts.age')}
      className="w-48"
      value={due ?? olderThan ?? ''}
      onChange={({ target: { value } }) =>
        narrow(value === 'over' ? { due: value, olderThan: undefined } : { olderThan: value, due: undefined })
      }
      options={[
        { value: '', label: t('alerts.anyAge') },
        ...(hasDueTimes || due !== undefined ? [{ value: 'over', label: t('alerts.overdue') }] : []),
        ...Object.entries(ages).map(([name, minutes]) => ({
          value: String(minutes),
          label: t(`alerts.ages.${name as keyof typeof ages}`),
        })),
        ...(isKnown ? [] : [{ value: String(olderThan), label: t('alerts.olderThan', { minutes: olderThan }) }]),
      ]}
    />
  );
}

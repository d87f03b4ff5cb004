import { useQuery } from '@tanstack/react-query';
import { ChevronRight } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { usePersonal } from '../../api/personal.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { FiredRule } from '../event/fired-rule.tsx';

/** Each condition of the rules that fired with the values it read, one click below the facts. */
export function Why({ event: id }: { readonly event: string }): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const [isOpen, setOpen] = useState(false);
  const event = useQuery({
    ...asking('readEvent', { params: { workspace, event: id }, query: usePersonal() }),
    enabled: isOpen,
  });
  return (
    <details
      className="group rounded-lg border border-line bg-card"
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 rounded-lg px-4 hover:bg-sunken">
        <ChevronRight aria-hidden className="size-4 text-soft group-open:rotate-90 print:hidden" />
        <h2 className="text-sm font-semibold">{t('event.why')}</h2>
        <span className="text-xs text-soft">{t('alerts.whyConditions')}</span>
      </summary>
      {isOpen ? (
        <div className="px-4 pb-4">
          <Asked of={event} rows={4}>
            {({ rules, policyVersion }) => (
              <div className="flex flex-col gap-3">
                {rules.map((rule) => (
                  <FiredRule key={rule.reason} rule={rule} version={policyVersion} />
                ))}
              </div>
            )}
          </Asked>
        </div>
      ) : null}
    </details>
  );
}

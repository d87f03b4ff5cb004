import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RuleSuppression } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { EntityLink } from '../../parts/entity-link.tsx';
import { Instant } from '../../parts/instant.tsx';
import { ruleLabel, useRuleNames } from '../policy/use-rule-names.ts';

interface RuleSuppressionRowProps {
  readonly suppression: RuleSuppression;
}

/** A rule exception for one client or payee, and a button to end it. */
export function RuleSuppressionRow({ suppression }: RuleSuppressionRowProps): ReactElement {
  const { t } = useTranslation();
  const mayWork = useRight('work');
  const names = useRuleNames();
  const [asked, setAsked] = useState(false);
  const { id, reason, subject, client, payee, until, why, author, madeAt } = suppression;
  const rule = ruleLabel(reason, names);
  return (
    <li className="flex items-center gap-4 px-4 py-2.5">
      <Badge>{rule}</Badge>
      {payee === undefined ? (
        <EntityLink kind="client" name={client ?? subject} of={subject} mono={client === undefined} />
      ) : (
        <span className="font-mono text-xs">{payee}</span>
      )}
      <span className="min-w-0 grow">
        {why}
        <span className="block text-xs text-soft">
          {author} · <Instant at={madeAt} />
        </span>
      </span>
      <span className="text-soft">
        {t('alerts.until')} <Instant at={until} />
      </span>
      {mayWork ? (
        <Button small onClick={() => setAsked(true)}>
          {t('alerts.endSuppression')}
        </Button>
      ) : null}
      {asked ? <EndRuleSuppression id={id} rule={rule} onClose={() => setAsked(false)} /> : null}
    </li>
  );
}

interface EndRuleSuppressionProps {
  readonly id: string;
  /** Number and name of the rule. */
  readonly rule: string;
  readonly onClose: () => void;
}

function EndRuleSuppression({ id, rule, onClose }: EndRuleSuppressionProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const end = useDoing('endRuleSuppression', ['listRuleSuppressions']);
  return (
    <Confirm
      title={t('alerts.endRuleSuppression')}
      act={t('alerts.endSuppression')}
      busy={end.isPending}
      problem={end.error}
      onConfirm={() => end.mutate({ params: { workspace, suppression: id } }, { onSuccess: onClose })}
      onClose={onClose}
    >
      {t('alerts.endRuleMeaning', { rule })}
    </Confirm>
  );
}

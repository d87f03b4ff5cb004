import { useNavigate } from '@tanstack/react-router';
import { ListPlus } from 'lucide-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { whenLengthMax } from '../policy/policy-search.ts';

/** Opens the form for a new rule with this condition, for people who may write policies. */
export function RuleOfThis({ condition }: { readonly condition: string }): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const navigate = useNavigate();
  const when = condition.trim();
  if (!useRight('write')) return null;
  const open = (): void =>
    void navigate({ to: '/w/$workspace/policy', params: { workspace }, search: { tab: 'rules', when } });
  return (
    <Button disabled={when === '' || when.length > whenLengthMax} onClick={open}>
      <ListPlus aria-hidden className="size-4" />
      {t('builder.ruleOfThis')}
    </Button>
  );
}

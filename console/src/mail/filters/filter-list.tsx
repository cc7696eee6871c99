import { useNavigate } from '@tanstack/react-router';
import { ArrowDown, ArrowUp, Filter, Plus } from 'lucide-react';
import { useState } from 'react';
import type { MailFilter } from '../../../../client/src/index.ts';
import { useActions } from '../../app/actions.ts';
import { useTexts } from '../../app/texts.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { EmptyPlace, ErrorPlace } from '../../parts/place.tsx';
import { WindowedList } from '../../parts/windowed-list.tsx';
import styles from './filters.module.css';
import { type FilterTexts, type FilterWords, filterTexts, filterWords } from './texts.ts';
import { useFilters, useFilterWrites } from './use-filters.ts';

const ROW = 56;

/** All filters in their order. */
export function FilterList() {
  const texts = useTexts(filterTexts);
  const navigate = useNavigate();
  const { filters, error, refetch } = useFilters();
  const [current, setCurrent] = useState<string>();
  const writes = useFilterWrites(texts);
  const open = (rest: string) => void navigate({ to: '/mail/filters/$', params: { _splat: rest } });
  const chosen = filters?.find(({ id }) => id === current);
  const move = (id: string, by: -1 | 1) => void writes.move(filters ?? [], id, by);
  useActions([
    { id: 'new-filter', label: texts.newFilter, keys: 'n', run: () => open('new') },
    ...(chosen
      ? [
          { id: 'up', label: texts.moveUp, keys: 'Alt+ArrowUp', run: () => move(chosen.id, -1) },
          { id: 'down', label: texts.moveDown, keys: 'Alt+ArrowDown', run: () => move(chosen.id, 1) },
          { id: 'switch', label: texts.switch, keys: 'x', run: () => void writes.toggle(chosen) },
          { id: 'delete', label: texts.removeFilter, keys: '#', run: () => void writes.remove(chosen) },
        ]
      : []),
  ]);
  if (error) return <ErrorPlace error={error} onRetry={() => void refetch()} />;
  return (
    <section className={styles.page} aria-label={texts.filters}>
      <header className={styles.head}>
        <h1 className={styles.title}>{texts.filters}</h1>
        <Button kind="primary" onPress={() => open('new')}>
          <Plus />
          {texts.newFilter}
        </Button>
      </header>
      {filters?.length === 0 ? (
        <EmptyPlace icon={<Filter />} title={texts.none}>
          <p>{texts.noneText}</p>
        </EmptyPlace>
      ) : (
        <>
          <p className={styles.lead}>{texts.lead}</p>
          <WindowedList
            label={texts.filters}
            items={filters ?? []}
            keyOf={({ id }) => id}
            rowHeight={ROW}
            current={current}
            onCurrent={setCurrent}
            selected={NONE}
            onSelect={() => undefined}
            onOpen={({ id }) => open(id)}
            renderRow={(filter) => <Row {...{ filter, texts, writes, move }} />}
          />
        </>
      )}
    </section>
  );
}

const NONE: ReadonlySet<string> = new Set();

interface RowProps {
  filter: MailFilter;
  texts: FilterTexts;
  writes: ReturnType<typeof useFilterWrites>;
  move(id: string, by: -1 | 1): void;
}

function Row({ filter, texts, writes, move }: RowProps) {
  const words = useTexts(filterWords);
  const { id, name, enabled } = filter;
  return (
    <div className={styles.row} data-off={!enabled || undefined}>
      <input
        type="checkbox"
        className={styles.switch}
        aria-label={texts.isOn(name)}
        checked={enabled}
        onChange={() => void writes.toggle(filter)}
      />
      <span className={styles.what}>
        <bdi className={styles.name} title={name}>
          {name}
        </bdi>
        <span className={styles.summary} dir="auto" title={summaryOf(filter, words)}>
          {summaryOf(filter, words)}
        </span>
      </span>
      <IconButton label={texts.up(name)} keys="Alt ↑" onPress={() => move(id, -1)}>
        <ArrowUp />
      </IconButton>
      <IconButton label={texts.down(name)} keys="Alt ↓" onPress={() => move(id, 1)}>
        <ArrowDown />
      </IconButton>
    </div>
  );
}

/** A rule on one line. */
function summaryOf({ rule }: MailFilter, words: FilterWords): string {
  const word = (name: string) => words[name as keyof FilterWords] ?? name;
  const conditions = rule.conditions.map(({ field, op = 'equals', value = true }) =>
    [
      word(field),
      field === 'has_attachment' ? '' : word(op),
      field === 'has_attachment' ? word(String(value)) : value,
    ]
      .filter((part) => part !== '')
      .join(' '),
  );
  const actions = rule.actions.map(({ type, folder, label, flag }) =>
    [word(type), folder ?? label ?? (flag && word(flag))].filter(Boolean).join(' '),
  );
  return `${conditions.join(rule.match === 'any' ? ' / ' : ' + ')} → ${actions.join(', ')}`;
}

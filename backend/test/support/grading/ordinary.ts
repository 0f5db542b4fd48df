/** Commands that agents run all day. */
import { rowsOf } from './rows.ts'

export const ORDINARY = rowsOf({
  reads: String.raw`
    ls
    ls -la src | head -n 20
    cat README.md package.json
    head -c 100 file && tail -f log
    grep -rn "TODO" src
    rg --files | wc -l
    find . -name '*.ts'
    find src -type f -not -path '*/node_modules/*'
    cd src && pwd
    echo "rm -rf /"
    echo 'a; rm -rf /' "b && rm -rf /"
    printf '%s\n' hello
    git status --short
    git -C sub status
    cd /etc && ls
    cd src && ls | uniq
    git log --oneline -20
    git diff HEAD~1 -- src
    git show HEAD:README.md
    git blame -L 1,10 file
    git ls-files '*.ts'
    git config --list
    git clean -nd
    test -f a.txt
    [ -d src ] && echo yes
    [[ -f a && ! -d b ]] && echo ok
    sed -n '1,20p' file
    awk '{print $1}' file
    sort file | uniq -c | sort -rn
    jq '.name' package.json
    diff -u a b
    stat file; du -sh .; df -h
    ps aux | grep node
    date -u +%s
    env
    command -v rg
    type -a python
    sha256sum file
    tree -L 2
    cat < input.txt
    ls 2>/dev/null
    ls > /dev/null 2>&1
    xargs -a list.txt cat
    find . -name '*.md' | xargs wc -l
    for f in a b; do cat "$f"; done
    if grep -q x y; then echo yes; fi
    crontab -l
    lsof -i :3000
    basename "$PWD"
    true
  `,
  changes: String.raw`
    mkdir -p src/new
    touch a.txt
    cp a b
    mv a.txt docs/b.txt
    ln -s a b
    echo hi > out.txt
    echo hi >> notes/log.txt
    cat a | tee b
    git add -A
    git commit -m "Fix the parser"
    git stash
    git checkout -b feature
    git switch main
    git fetch origin
    git pull --rebase
    git merge feature
    git branch new
    git tag v1
    git restore --staged file
    git rm --cached file
    sed -i 's/a/b/' file
    sed -i '/a/d' file
    cd src && touch a
    cd /home/developer/app && mkdir a
    tar xzf a.tgz
    tar czf a.tgz src
    unzip a.zip
    chmod +x run.sh
    chmod 644 file
    rmdir empty
    patch -p1 < a.patch
    mktemp
    sort -o sorted.txt file
    ls &> out.log
    find . -name '*.log' -fprint list
    cp src/a /tmp/a
  `,
  builds: String.raw`
    npm test
    npm run build -- --watch=false
    npm ci
    npm install left-pad
    pnpm install --frozen-lockfile
    yarn
    yarn build
    bun test
    make -j4 all
    cargo test
    cargo build --release
    go test ./...
    go vet ./...
    pytest -q tests
    eslint src --fix
    prettier --write .
    tsc --noEmit
    vitest run
    npx_version=1 make
    pip install -r requirements.txt
    uv sync
    mvn package
    gradle build
    dotnet build
    timeout 60 npm test
    CI=1 npm test
    nice -n 10 make
    time npm test
    env NODE_ENV=test npm test
    nohup npm start
  `,
  fetches: String.raw`
    curl https://example.org
    curl -fsSL https://example.org/a.json
    wget https://example.org/a.tgz
    gh pr view 12
    gh pr list --state open
    gh issue status
    gh api repos/o/r
    ping -c 1 example.org
  `,
  variable: String.raw`
    A=1
    export A=1
    set -euo pipefail
    trap 'echo bye' EXIT
    read -r line
  `,
})

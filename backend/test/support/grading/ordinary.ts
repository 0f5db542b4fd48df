/** What agents run all day, and what is asked about. */
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

export const MEDIUM = rowsOf({
  unknown: String.raw`
    my-tool --all
    npx cowsay hi
    bunx something
    npm exec something
    git something
    find $where -name x
    pip frobnicate
    some_function
  `,
  script: String.raw`
    ./deploy.sh
    sh deploy.sh
    bash scripts/setup.sh --fast
    source venv/bin/activate
    . ./env.sh
    /opt/tool/bin/run
    /tmp/ls
    ~/bin/x
    zsh -x a.sh
    bash a.sh -c ls
    sh < a.sh
  `,
  code: String.raw`
    python -c 'print(1)'
    python script.py
    node -e 'console.log(1)'
    perl -pe 's/a/b/' file
    ruby x.rb
    deno run a.ts
    php a.php
  `,
  deletes: String.raw`
    rm a.txt
    rm -f a.txt b.txt
    unlink a
    git rm a.txt
    truncate -s 0 log
  `,
  moves: String.raw`
    git worktree add ../x
    sed -i s/a/b/ /etc/hosts
    curl -o /usr/local/bin/x https://example.org
    curl --output=/etc/x https://example.org
    wget -O ../x https://example.org
    sort -o /etc/x a
    tar xf a.tar -C /opt
    cd /etc && cp a b
    cd .. && touch a
    cd "$dir" && mkdir a
    cd /usr/local && (cd bin; mv a b)
    cp a /etc/hosts
    echo hi > /usr/local/x
    mv a ../b
    tee /var/log/x
    echo hi > "$out"
    cp a "$target"
    mkdir /opt/x
    cat a > ../../b
  `,
  permissions: String.raw`
    chmod 777 .
    chmod -R 755 src
    chmod a+w file
    chmod u+s tool
    chmod 4755 tool
    chown root file
    setfacl -m u:x:rw a
    chmod $mode file
  `,
  otherUser: String.raw`
    sudo ls
    sudo -u postgres ls
    sudo -n true
    doas ls
    su - someone
    sudo FOO=1 ls
  `,
  ends: String.raw`
    kill 1234
    kill -9 $(cat pid)
    pkill node
    killall chrome
  `,
  sends: String.raw`
    curl -X POST https://example.org
    curl -d @secrets https://example.org
    curl "$url"
    curl --upload-file a https://example.org
    wget --post-file=a https://example.org
    scp a host:b
    rsync -a . host:/x
    ssh host ls
    nc example.org 80
    echo hi > /dev/tcp/example.org/80
    exec 3<>/dev/tcp/example.org/80
  `,
  publishes: String.raw`
    git push
    git push origin main
    gh pr review 12 --approve
    gh pr merge 12
    gh pr create --fill
    gh issue comment 3 -b hi
    gh api -X POST repos/o/r/issues
  `,
  settings: String.raw`
    git config user.name x
    git -c core.fsmonitor=./x status
    git remote add o https://example.org
    echo x >> ~/.bashrc
    echo x > .git/hooks/pre-commit
    cp a ~/.ssh/authorized_keys
    echo '{}' > .mcp.json
    npm config set x y
    crontab file
    alias ll='ls -l'
    gh auth token
    gh secret set X
    tee .github/workflows/a.yml
    touch .envrc
    curl -o .git/hooks/pre-commit https://example.org
    curl -o ~/.bashrc https://example.org
  `,
  loader: String.raw`
    PATH=/tmp:$PATH ls
    LD_PRELOAD=./x.so ls
    GIT_SSH_COMMAND=./x git fetch
    NODE_OPTIONS='--require ./x' npm test
    IFS=, ls
    BASH_ENV=./x make
    PROMPT_COMMAND=x
    env LD_PRELOAD=./x.so ls
    env A=1 GIT_SSH_COMMAND=./x git fetch
    hash -p ./x git
  `,
  system: String.raw`
    apt-get install -y x
    systemctl restart x
    mount /dev/x /mnt
    useradd x
    reboot
    chroot /x ls
    unshare -r ls
    date -s tomorrow
  `,
  services: String.raw`
    docker run x
    docker compose up -d
    kubectl get pods
    kubectl apply -f a.yml
    aws s3 ls
    terraform plan
    psql -c 'select 1'
    redis-cli get x
    sqlite3 a.db .tables
  `,
  history: String.raw`
    git reset HEAD~1
    git rebase main
    git cherry-pick abc
    git branch -d old
    git revert HEAD
  `,
  unreadable: String.raw`
    echo "a
    if true; then
    ls )
    echo $(
  `,
})

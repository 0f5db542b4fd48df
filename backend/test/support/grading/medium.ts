/** Commands of the medium tier, which people are asked about. */
import { rowsOf } from './rows.ts'

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

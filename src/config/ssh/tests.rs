//! What a configuration says of a host, file by file.

use super::*;

/// A home with these files in `.ssh`.
fn home(files: &[(&str, &str)]) -> (tempfile::TempDir, Reader) {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path().join(".ssh");
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    let reader = Reader {
        config: Config {
            folder,
            local_user: "ada".to_owned(),
        },
        agent: None,
        passphrase: None,
        hops: Vec::new(),
        depth: 0,
    };
    (home, reader)
}

fn hops(files: &[(&str, &str)], typed: &str) -> Vec<String> {
    let (home, mut reader) = home(files);
    match reader.add(typed) {
        Ok(()) => {
            let hop = |hop: &Hop| format!("{}@{}:{}", hop.user, hop.host, hop.port);
            reader.hops.iter().map(hop).collect()
        }
        Err(error) => vec![error.text.replace(&home.path().display().to_string(), "~")],
    }
}

#[track_caller]
fn check(config: &str, typed: &str, expected: &[&str]) {
    assert_eq!(hops(&[("config", config)], typed), expected);
}

#[test]
fn names_users_ports_and_jumps_are_those_of_the_configuration() {
    let config = "Host db\n  HostName 10.0.0.7\n  User app\n  Port 2222\n  ProxyJump jump\n\
                  Host jump\n  HostName jump.example\n  User ada\n";
    check(config, "db", &["ada@jump.example:22", "app@10.0.0.7:2222"]);
    check(
        config,
        "eve@db:7",
        &["ada@jump.example:22", "eve@10.0.0.7:7"],
    );
    check("", "ada@[fe80::1]:7", &["ada@fe80::1:7"]);
    check("Host a\n User u\n ProxyJump none\n", "a", &["u@a:22"]);
    let two = "Host a\n ProxyJump u@b:7,c\n";
    check(two, "a", &["u@b:7", "ada@c:22", "ada@a:22"]);
}

#[test]
fn only_the_first_jump_is_reached_by_its_own_jumps() {
    let config = "Host *.corp\n  ProxyJump gw,inner.corp\n";
    let way = ["ada@gw:22", "ada@inner.corp:22", "ada@db.corp:22"];
    check(config, "db.corp", &way);
    let config = "Host a\n ProxyJump b,c\nHost b\n ProxyJump d\nHost c\n ProxyCommand nc x 1\n";
    let way = ["ada@d:22", "ada@b:22", "ada@c:22", "ada@a:22"];
    check(config, "a", &way);
}

#[test]
fn switches_and_none_are_taken_in_any_case() {
    for (word, expected) in [("yes", true), ("True", true), ("YES", true), ("no", false)] {
        let config = format!("IdentitiesOnly {word}\nProxyJump NONE\nIdentityAgent None\n");
        let (_home, mut reader) = home(&[("config", &config)]);
        reader.agent = Some(PathBuf::from("/agent"));
        reader.add("a").expect("a way");
        let [hop] = reader.hops.as_slice() else {
            panic!("one host")
        };
        assert_eq!((hop.only_these_keys, &hop.agent), (expected, &None));
    }
}

#[test]
fn the_first_value_counts() {
    let config =
        "User first\nHost a\n User second\n Port 7\n Port 8\nHost *\n Port 9\n User third\n";
    check(config, "a", &["first@a:7"]);
    check(config, "b", &["first@b:9"]);
    check(
        "Host a\n ProxyJump none\n ProxyCommand nc x 1\n",
        "a",
        &["ada@a:22"],
    );
}

#[test]
fn a_block_counts_for_the_hosts_that_it_names() {
    let config = "Host *.example !db.example\n User u\nHost ?b\n Port 7\n";
    check(config, "app.example", &["u@app.example:22"]);
    check(config, "db.example", &["ada@db.example:22"]);
    check(config, "db", &["ada@db:7"]);
    check(config, "dbb", &["ada@dbb:22"]);
}

#[test]
fn a_match_block_counts_for_what_it_asks() {
    let config = "Match originalhost prod\n HostName 10.0.0.9\nHost staging\n User u\n";
    check(config, "staging", &["u@staging:22"]);
    check(config, "prod", &["ada@10.0.0.9:22"]);
    let config = "Host db\n HostName 10.0.0.7\nMatch host 10.0.0.* user \"app,!ada\"\n Port 7\n\
                  Match !host 10.0.0.* localuser ad?\n Port 8\nMatch all\n Port 9\n";
    check(config, "app@db", &["app@10.0.0.7:7"]);
    check(config, "ada@db", &["ada@10.0.0.7:9"]);
    check(config, "other", &["ada@other:8"]);
    check("Match host=a,b\n Port 7\n", "b", &["ada@b:7"]);
    check("Match !all\n Port 7\n", "b", &["ada@b:22"]);
    check("Host a\n Port 7\nMatch host b\n", "a", &["ada@a:7"]);
}

#[test]
fn the_last_pass_is_made_where_it_is_asked_for() {
    check("Match canonical\n Port 7\n", "a", &["ada@a:22"]);
    let config =
        "Match final host 10.*\n Port 7\nHost 10.*\n User late\nHost a\n HostName 10.0.0.1\n";
    check(config, "a", &["late@10.0.0.1:7"]);
    check(config, "b", &["ada@b:22"]);
    check(
        "Match !final\n Port 7\nHost a\n Port 8\n",
        "a",
        &["ada@a:7"],
    );
}

#[test]
fn what_only_ssh_could_decide_is_refused_where_it_counts() {
    let config = "Match exec \"test -f /x\"\n User u\n";
    let told = "`Match exec` at ~/.ssh/config:1 is not decided here: it cannot be told whether its \
                `user` counts for `a`";
    check(config, "a", &[told]);
    // What nobody reads, what was said before, and another host's block do no harm.
    check("Match exec true\n ForwardAgent no\n", "a", &["ada@a:22"]);
    check(&format!("User v\n{config}"), "a", &["v@a:22"]);
    check("Match host b exec true\n Port 7\n", "a", &["ada@a:22"]);
    check("Match exec true host b\n Port 7\n", "a", &["ada@a:22"]);
    let told = "`Match localnetwork` at ~/.ssh/config:1 is not decided here: it cannot be told whether \
                its `port` counts for `a`";
    check("Match localnetwork 10.0.0.0/8\n Port 7\n", "a", &[told]);
    let included = [
        ("config", "Match exec true\nInclude more\n"),
        ("more", "Host b\n Port 7\nHost a\n Port 8\n"),
    ];
    assert_eq!(hops(&included, "c"), ["ada@c:22"]);
    assert!(hops(&included, "b")[0].starts_with("`Match exec` at ~/.ssh/config:1"));
}

#[test]
fn files_are_included_where_they_are_named() {
    let files = [
        (
            "config",
            "Include conf.d/*.conf\nInclude nowhere\nHost a\n Port 9\n Include \"of a\"\nHost b\n Port 8\n",
        ),
        (
            "conf.d/1.conf",
            "Host a\n User one\nMatch host b\n User two\n",
        ),
        ("conf.d/2.conf", "User three\n"),
        ("conf.d/no.txt", "Port 1\n"),
        (
            "of a",
            "HostName %h.example\nHost b\n User four\n HostName never\n",
        ),
    ];
    assert_eq!(hops(&files, "a"), ["one@a.example:9"]);
    assert_eq!(hops(&files, "b"), ["two@b:8"]);
    assert_eq!(hops(&files, "c"), ["three@c:22"]);
    let circle = [("config", "Include config\n")];
    assert_eq!(
        hops(&circle, "a"),
        ["~/.ssh/config cannot be read: files include each other"]
    );
}

#[test]
fn tokens_stand_for_what_is_known_by_then() {
    let config = "Host db\n HostName %h.example\n User app\n Port 7\n\
                  Host *\n IdentityFile %d/.ssh/%u-%r-%h-%p-%n-100%%\n";
    let key = "ada-app-db.example-7-db-100%";
    let (_home, mut reader) = home(&[("config", config), (key, "a key")]);
    reader.add("db").expect("a way");
    let path = &reader.hops[0].keys[0].path;
    assert!(path.ends_with(key), "{path:?}");
    assert_eq!(reader.hops[0].keys[0].origin, KeyOrigin::Named);
    let told = "`~/.ssh/%C` in ~/.ssh/config has a token that is not followed";
    check("IdentityFile ~/.ssh/%C\n", "a", &[told]);
}

#[test]
fn who_a_host_is_known_as_is_read() {
    let config = "Host a\n HostKeyAlias shop\n UserKnownHostsFile ~/.ssh/one ~/.ssh/two\n \
                  GlobalKnownHostsFile none\n RevokedHostKeys ~/.ssh/bad\nHost b\n IdentityAgent none\n";
    let (_home, mut reader) = home(&[("config", config)]);
    reader.agent = Some(PathBuf::from("/agent"));
    reader.add("a").expect("a way");
    reader.add("b").expect("a way");
    let [a, b] = reader.hops.as_slice() else {
        panic!("two hosts")
    };
    let folder = &reader.config.folder;
    assert_eq!(a.host_keys.alias.as_deref(), Some("shop"));
    assert_eq!(a.host_keys.files, [folder.join("one"), folder.join("two")]);
    assert_eq!(a.host_keys.revoked, Some(folder.join("bad")));
    assert_eq!(a.agent, Some(PathBuf::from("/agent")));
    assert_eq!((b.agent.as_ref(), b.host_keys.files.len()), (None, 4));
}

#[test]
fn what_cannot_be_followed_is_said() {
    check("", "", &["`` is no SSH host"]);
    check(
        "",
        "-oProxyCommand=x",
        &["`-oProxyCommand=x` is no SSH host"],
    );
    check("", "a b", &["`a b` is no SSH host"]);
    check(
        "Host a\n ProxyJump b\nHost b\n ProxyJump a\n",
        "a",
        &["the way to `a` leads through more than 8 hosts"],
    );
    check(
        "Host a\n ProxyCommand nc x 1\n",
        "a",
        &["`a` has a `ProxyCommand` in ~/.ssh/config, which is not run"],
    );
    check(
        "Port many\n",
        "a",
        &["`a` has a `Port` in ~/.ssh/config that is none"],
    );
    check(
        "User \"a\n",
        "a",
        &["~/.ssh/config cannot be read: a quote in line 1 does not end"],
    );
}
